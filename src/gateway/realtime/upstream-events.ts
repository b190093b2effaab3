import { GatewayError } from "../../contract/errors.ts";
import { textOf } from "../../lib/json.ts";
import { parseEvent, recordOf, typeOf } from "./events.ts";
import type { Frame } from "./lane.ts";
import type { SessionParts } from "./session-parts.ts";

/** What happens to a session because of what its upstream says. */
interface Doings {
  send(frame: Frame): void;
  tell(failure: GatewayError): void;
  fail(failure: GatewayError): void;
  holdClient(work: () => Promise<void>): Promise<void>;
  responseEnded(): void;
}

/** Sound and words of an answer, under the names of today and those from before the release. */
const SOUND: ReadonlySet<string> = new Set(["response.output_audio.delta", "response.audio.delta"]);
const WORDS: ReadonlySet<string> = new Set([
  "response.output_text.delta",
  "response.text.delta",
  "response.function_call_arguments.delta",
]);
/** What stands around a word in its event. */
const AROUND_WORDS = 200;

/** The events of an upstream on their way to the caller. Few of them are read: all others pass as they came. */
export class UpstreamEvents {
  private isConfigured = false;
  private writer: string | null = null;

  constructor(
    private readonly parts: SessionParts,
    private readonly doings: Doings,
  ) {}

  /** Never rejects. A promise where the next one has to wait. */
  take(frame: Frame): Promise<void> | null {
    const type = typeof frame === "string" ? typeOf(frame) : null;
    const text = frame as string;
    switch (type) {
      case "session.created":
      case "session.updated":
        this.shareSession(text);
        return null;
      case "response.created":
        return this.begin(text);
      case "response.done":
        return this.done(text);
      case "conversation.item.input_audio_transcription.completed":
        return this.transcribed(text);
      default:
        this.pass(frame, type);
        return null;
    }
  }

  private pass(frame: Frame, type: string | null): void {
    if (type !== null && SOUND.has(type)) this.parts.books.deliver(frame.length, true);
    else if (type !== null && WORDS.has(type))
      this.parts.books.deliver(Math.max(4, frame.length - AROUND_WORDS), false);
    this.doings.send(frame);
  }

  /** The model has the name that the caller knows it by. */
  private shareSession(text: string): void {
    const event = parseEvent(text);
    const session = recordOf(event, "session");
    if (!event || !session) {
      this.doings.send(text);
      return;
    }
    const input = recordOf(recordOf(session, "audio"), "input");
    const transcription = recordOf(input, "transcription") ?? recordOf(session, "input_audio_transcription");
    this.writer = textOf(transcription?.model) ?? this.writer;
    this.doings.send(JSON.stringify({ ...event, session: { ...session, model: this.parts.call.model } }));
    const { config, upstream } = this.parts;
    if (this.isConfigured || config === null) return;
    this.isConfigured = true;
    upstream.send(JSON.stringify({ type: "session.update", session: config }));
  }

  private async begin(text: string): Promise<void> {
    const { books, upstream } = this.parts;
    const id = textOf(recordOf(parseEvent(text), "response")?.id) ?? "";
    try {
      await books.begin(id);
      this.doings.send(text);
    } catch (thrown) {
      upstream.send(JSON.stringify({ type: "response.cancel", ...(id === "" ? {} : { response_id: id }) }));
      const failure = asFailure(thrown);
      if (failure.kind === "rate_limit") {
        this.doings.tell(failure);
        this.doings.send(text);
      } else this.doings.fail(failure);
    }
  }

  /** The caller hears of it when it is in the books. Where nothing is left to call with, nothing more is begun. */
  private done(text: string): Promise<void> {
    const { books } = this.parts;
    return this.doings.holdClient(async () => {
      try {
        await books.done(recordOf(parseEvent(text), "response") ?? {});
        this.doings.send(text);
        this.doings.responseEnded();
        await books.requireCredit();
      } catch (thrown) {
        this.doings.fail(asFailure(thrown));
      }
    });
  }

  private async transcribed(text: string): Promise<void> {
    try {
      await this.parts.books.transcribed(this.writer, parseEvent(text)?.usage);
    } catch (err) {
      this.parts.deps.log.error({ callId: this.parts.call.callId, err }, "a transcript could not be written down");
    }
    this.doings.send(text);
  }
}

const asFailure = (thrown: unknown): GatewayError =>
  thrown instanceof GatewayError ? thrown : new GatewayError("internal", "Internal error.", { cause: thrown });
