import { createRequire } from "node:module";
import { join } from "node:path";
import type { EventStreamCodec, Message } from "@smithy/eventstream-codec";
import { GatewayError } from "../contract/errors.ts";
import { decodeUtf8 } from "../lib/json.ts";
import { PROGRAM_ROOT } from "../lib/program-root.ts";
import type { StreamEvent } from "./dialect.ts";

/** AWS's own limit of a message; a longer one is not an event stream. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** Two lengths, two checksums. */
const MESSAGE_BYTES_MIN = 16;
const LENGTH_BYTES = 4;

const encoder = new TextEncoder();
const require = createRequire(join(PROGRAM_ROOT, "package.json"));
let loaded: EventStreamCodec | null = null;

/** The codec takes 50 ms and 17 MB to load, so that it waits for the first stream; most gateways never see one. */
function getCodec(): EventStreamCodec {
  if (loaded === null) {
    const codec = require("@smithy/eventstream-codec") as typeof import("@smithy/eventstream-codec");
    loaded = new codec.EventStreamCodec(decodeUtf8, (text) => encoder.encode(text));
  }
  return loaded;
}

/** Cuts AWS's binary event stream into events, however its bytes arrive. */
export class AwsEventStreamSplitter {
  private held = new Uint8Array(4096);
  private heldBytes = 0;
  private fault: GatewayError | null = null;

  /** The events that are whole now. A fault behind them is thrown by the next call, so that none of them is lost. */
  push(bytes: Uint8Array): StreamEvent[] {
    const events: StreamEvent[] = [];
    let rest = bytes;
    while (this.fault === null && rest.byteLength > 0) {
      try {
        const wanted = this.wantedBytes();
        const taken = rest.subarray(0, wanted);
        this.hold(taken);
        rest = rest.subarray(taken.byteLength);
        if (this.isWhole()) events.push(this.take());
      } catch (thrown) {
        this.fault = asFault(thrown);
      }
    }
    if (this.fault !== null && events.length === 0) throw this.fault;
    return events;
  }

  end(): StreamEvent[] {
    if (this.fault !== null) throw this.fault;
    if (this.heldBytes > 0) throw new GatewayError("upstream", "The provider's stream broke off inside an event.");
    return [];
  }

  /** First the length of the message, then what is missing of it. */
  private wantedBytes(): number {
    return this.heldBytes < LENGTH_BYTES ? LENGTH_BYTES - this.heldBytes : this.messageBytes() - this.heldBytes;
  }

  private isWhole(): boolean {
    return this.heldBytes >= LENGTH_BYTES && this.heldBytes === this.messageBytes();
  }

  private messageBytes(): number {
    const bytes = new DataView(this.held.buffer).getUint32(0);
    if (bytes < MESSAGE_BYTES_MIN || bytes > MESSAGE_BYTES_MAX) {
      throw new GatewayError("upstream", `The provider's stream has an event of ${bytes} bytes, which cannot be.`);
    }
    return bytes;
  }

  /** Grows by doubling: a length that lies takes no more memory than the bytes that come. */
  private hold(bytes: Uint8Array): void {
    const needed = this.heldBytes + bytes.byteLength;
    if (needed > this.held.byteLength) {
      const grown = new Uint8Array(Math.max(needed, this.held.byteLength * 2));
      grown.set(this.held.subarray(0, this.heldBytes));
      this.held = grown;
    }
    this.held.set(bytes, this.heldBytes);
    this.heldBytes = needed;
  }

  private take(): StreamEvent {
    const message = getCodec().decode(this.held.subarray(0, this.heldBytes));
    const event = toEvent(message);
    this.heldBytes = 0;
    return event;
  }
}

function toEvent({ headers, body }: Message): StreamEvent {
  const text = (name: string): string | null => {
    const value = Object.hasOwn(headers, name) ? headers[name]?.value : null;
    return typeof value === "string" ? value : null;
  };
  switch (text(":message-type")) {
    case "exception":
      return { name: `exception:${text(":exception-type") ?? "unknown"}`, data: decodeUtf8(body) };
    case "error":
      // An error has its words in headers and no body; they take the form that exceptions have.
      return {
        name: `exception:${text(":error-code") ?? "unknown"}`,
        data: JSON.stringify({ message: text(":error-message") ?? "" }),
      };
    default:
      return { name: text(":event-type"), data: decodeUtf8(body) };
  }
}

const asFault = (thrown: unknown): GatewayError =>
  thrown instanceof GatewayError
    ? thrown
    : new GatewayError("upstream", "The provider's stream has an event that cannot be read.", { cause: thrown });
