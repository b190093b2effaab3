import type { PriceSheet } from "../../../catalog/price-sheet.ts";
import type { GatewayError } from "../../../contract/errors.ts";
import { toGatewayError } from "../../../http/render-error.ts";
import { textOf } from "../../../lib/json.ts";
import { cancelEvent, parseEvent, recordOf, typeOf } from "./events.ts";
import type { Frame } from "./relay-direction.ts";
import type { SessionAccounting } from "./session-accounting.ts";
import type { SessionParts } from "./session-parts.ts";

/** What happens to a session because of what its upstream says. */
interface Doings {
  send(frame: Frame): void;
  tell(failure: GatewayError): void;
  fail(failure: GatewayError): void;
  holdClient(work: () => Promise<void>): Promise<void>;
  responseBegan(id: string): void;
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
      case "error":
        // It may be about the response that was asked for last.
        this.parts.books.dropSpare();
        this.doings.send(frame);
        return null;
      default:
        this.pass(frame, type);
        return null;
    }
  }

  private pass(frame: Frame, type: string | null): void {
    if (type !== null && SOUND.has(type)) this.deliver(frame as string, frame.length, true);
    else if (type !== null && WORDS.has(type))
      this.deliver(frame as string, Math.max(4, frame.length - AROUND_WORDS), false);
    this.doings.send(frame);
  }

  /** Whose it is has to be looked for only where there are several. */
  private deliver(text: string, chars: number, isSound: boolean): void {
    const { books } = this.parts;
    const id = books.openIds.length > 1 ? textOf(parseEvent(text)?.response_id) : null;
    books.deliver(chars, isSound, id);
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
  }

  private async begin(text: string): Promise<void> {
    const { books, upstream } = this.parts;
    const id = textOf(recordOf(parseEvent(text), "response")?.id) ?? "";
    try {
      await books.begin(id);
      this.doings.send(text);
      this.doings.responseBegan(id);
    } catch (thrown) {
      upstream.send(cancelEvent(id));
      const failure = toGatewayError(thrown);
      if (failure.kind === "rate_limit") {
        this.doings.tell(failure);
        this.doings.send(text);
      } else this.doings.fail(failure);
    }
  }

  private done(text: string): Promise<void> {
    return this.charge(text, (books) => books.done(recordOf(parseEvent(text), "response") ?? {}));
  }

  private transcribed(text: string): Promise<void> {
    return this.charge(text, (books) => books.transcribed(this.writer, parseEvent(text)?.usage));
  }

  /** The caller hears of it when it is in the books. Where nothing is left to call with, nothing more is begun. */
  private charge(text: string, write: (books: SessionAccounting) => Promise<PriceSheet | null>): Promise<void> {
    const { books } = this.parts;
    return this.doings.holdClient(async () => {
      try {
        const sheet = await write(books);
        this.doings.send(text);
        this.doings.responseEnded();
        await books.requireCredit(sheet);
      } catch (thrown) {
        this.doings.fail(toGatewayError(thrown));
      }
    });
  }
}
