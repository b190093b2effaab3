import { describe, expect, test } from "bun:test";
import { EventStreamCodec, type MessageHeaders } from "@smithy/eventstream-codec";
import fc from "fast-check";
import { GatewayError } from "../contract/errors.ts";
import { AwsEventStreamSplitter } from "./aws-event-stream.ts";
import type { StreamEvent } from "./dialect.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const codec = new EventStreamCodec(
  (bytes) => decoder.decode(bytes),
  (text) => encoder.encode(text),
);

const headersOf = (fields: Readonly<Record<string, string>>): MessageHeaders =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { type: "string", value }]));

const message = (fields: Readonly<Record<string, string>>, body: string): Uint8Array =>
  codec.encode({ headers: headersOf(fields), body: encoder.encode(body) });

const event = (name: string, body: string): Uint8Array =>
  message({ ":message-type": "event", ":event-type": name, ":content-type": "application/json" }, body);

const join = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** Every event up to the end or the fault, and the fault. */
function readAll(pieces: readonly Uint8Array[]): { events: StreamEvent[]; fault: string | null } {
  const splitter = new AwsEventStreamSplitter();
  const events: StreamEvent[] = [];
  try {
    for (const piece of pieces) events.push(...splitter.push(piece));
    events.push(...splitter.end());
    return { events, fault: null };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    expect(thrown.kind).toBe("upstream");
    return { events, fault: thrown.message };
  }
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.slice(index === 0 ? 0 : ends[index - 1], end));
}

const events = fc.array(
  fc.record({ name: fc.string({ maxLength: 40 }), data: fc.string({ unit: "grapheme", maxLength: 300 }) }),
  {
    maxLength: 6,
  },
);
const places = fc.array(fc.nat(), { maxLength: 40 });

describe("the splitter of AWS event streams", () => {
  test("gives the same events however the bytes are cut", () => {
    fc.assert(
      fc.property(events, places, (sent, at) => {
        const bytes = join(sent.map(({ name, data }) => event(name, data)));
        expect(readAll(cut(bytes, at))).toEqual({ events: sent, fault: null });
      }),
    );
  });

  test("gives the same events and the same fault of a damaged stream however it is cut", () => {
    fc.assert(
      fc.property(events, fc.nat(), fc.integer({ min: 1, max: 255 }), places, (sent, where, change, at) => {
        const bytes = join([...sent, { name: "last", data: "{}" }].map(({ name, data }) => event(name, data)));
        const place = where % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ change;
        const whole = readAll([bytes]);
        const pieces = readAll(cut(bytes, at));
        expect(whole.fault).not.toBeNull();
        expect(pieces.fault).toBe(whole.fault);
        expect(pieces.events).toEqual(whole.events);
      }),
    );
  });

  test("never throws anything but a GatewayError, whatever bytes come", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 8 }), (pieces) => {
        readAll(pieces);
      }),
    );
  });

  test("says that a stream broke off when it ends inside an event", () => {
    const bytes = event("messageStart", '{"role":"assistant"}');
    for (let length = 1; length < bytes.length; length++) {
      expect(readAll([bytes.slice(0, length)])).toEqual({
        events: [],
        fault: "The provider's stream broke off inside an event.",
      });
    }
  });

  test("gives the events before a broken one, and throws from then on", () => {
    const broken = event("messageStop", "{}");
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    const splitter = new AwsEventStreamSplitter();
    expect(splitter.push(join([event("messageStart", "{}"), broken, event("metadata", "{}")]))).toHaveLength(1);
    expect(() => splitter.push(event("metadata", "{}"))).toThrow(GatewayError);
    expect(() => splitter.push(new Uint8Array())).toThrow(GatewayError);
    expect(() => splitter.end()).toThrow(GatewayError);
  });

  test("refuses a message over 16 MiB and one too short to be any, as soon as its length is read", () => {
    const length = (bytes: number) => new Uint8Array([bytes >>> 24, bytes >>> 16, bytes >>> 8, bytes]);
    expect(() => new AwsEventStreamSplitter().push(length(16 * 1024 * 1024 + 1))).toThrow("16777217 bytes");
    expect(() => new AwsEventStreamSplitter().push(length(15))).toThrow("15 bytes");
    expect(() => new AwsEventStreamSplitter().push(encoder.encode("<html>"))).toThrow(GatewayError);
    expect(new AwsEventStreamSplitter().push(length(16 * 1024 * 1024))).toEqual([]);
  });

  test("reads a message of many megabytes in small pieces", () => {
    const data = JSON.stringify({ text: "x".repeat(8 * 1024 * 1024) });
    const bytes = event("contentBlockDelta", data);
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += 16_384) pieces.push(bytes.subarray(at, at + 16_384));
    expect(readAll(pieces).events).toEqual([{ name: "contentBlockDelta", data }]);
  });

  test("names exceptions and errors by their type", () => {
    const exception = message(
      { ":message-type": "exception", ":exception-type": "throttlingException" },
      '{"message":"Too many requests"}',
    );
    const error = message(
      { ":message-type": "error", ":error-code": "InternalError", ":error-message": "It broke" },
      "",
    );
    expect(readAll([exception, error]).events).toEqual([
      { name: "exception:throttlingException", data: '{"message":"Too many requests"}' },
      { name: "exception:InternalError", data: '{"message":"It broke"}' },
    ]);
  });

  test("gives an event without a name its data all the same", () => {
    expect(readAll([message({}, "{}")]).events).toEqual([{ name: null, data: "{}" }]);
  });

  test("refuses data that is not UTF-8", () => {
    const bytes = codec.encode({ headers: headersOf({ ":event-type": "x" }), body: new Uint8Array([0xff]) });
    expect(() => new AwsEventStreamSplitter().push(bytes)).toThrow("cannot be read");
  });
});
