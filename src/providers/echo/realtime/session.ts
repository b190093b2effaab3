import { isRecord } from "../../../lib/json.ts";
import { countTokens } from "../text/tokenize.ts";
import { answerEvents, type Event, isSpoken, type Weight } from "./answer.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Kept extends Weight {
  readonly id: string;
  /** What it says, where it is a user's. */
  readonly said: string | null;
}

/** Sound is 24 kHz of 16 bits; a token of it is a tenth of a second. */
const BYTES_PER_MS = 48;
const MS_PER_TOKEN = 100;
/** So much of a conversation is kept, at least its last item. */
const TOKENS_MAX = 32_000;

/**
 * Echo in a realtime session: it answers `You said: <the last of the user's items>`, in text or as sound, and counts what
 * it reads. Of sound it hears the length alone. It never begins to speak unasked.
 */
export class EchoSession {
  private config: Record<string, unknown>;
  private readonly items: Kept[] = [];
  /** Of all of them. */
  private tokens = 0;
  private audioBytes = 0;
  /** What the last response read, which a cache would have. */
  private cached: Weight = { text: 0, audio: 0 };

  constructor(
    model: string,
    private readonly newId: () => string,
    private readonly emit: (event: Event) => void,
  ) {
    this.config = {
      type: "realtime",
      object: "realtime.session",
      id: `sess_${newId()}`,
      model,
      output_modalities: ["audio"],
      instructions: "",
      tools: [],
      audio: { input: { turn_detection: null }, output: { voice: "alloy" } },
    };
  }

  begin(): void {
    this.emit({ type: "session.created", session: this.config });
  }

  refuse(message: string, eventId: unknown): void {
    this.emit({
      type: "error",
      error: { type: "invalid_request_error", code: "invalid_event", message, param: null, event_id: eventId ?? null },
    });
  }

  take(event: Event): void {
    switch (event.type) {
      case "session.update":
        this.update(event.session);
        break;
      case "conversation.item.create":
        this.create(event);
        break;
      case "conversation.item.delete":
        this.remove(event);
        break;
      case "input_audio_buffer.append":
        this.append(event);
        break;
      case "input_audio_buffer.clear":
        this.audioBytes = 0;
        this.emit({ type: "input_audio_buffer.cleared" });
        break;
      case "input_audio_buffer.commit":
        this.commit(event);
        break;
      case "response.create":
        this.respond(isRecord(event.response) ? event.response : {});
        break;
      case "response.cancel":
        this.refuse("There is no response to cancel: echo answers at once.", event.event_id);
        break;
      default:
        this.refuse(`Echo does not know the event '${event.type.slice(0, 100)}'.`, event.event_id);
    }
  }

  private update(session: unknown): void {
    this.config = { ...this.config, ...(isRecord(session) ? session : {}) };
    this.emit({ type: "session.updated", session: this.config });
  }

  private create({ item, event_id }: Event): void {
    if (!isRecord(item)) {
      this.refuse("'item' must be an object.", event_id);
      return;
    }
    const said = textOf(item);
    const isUsers = item.type === "message" && (item.role ?? "user") === "user";
    this.keep(item, { text: countTokens(said), audio: 0 }, isUsers ? said : null);
  }

  private remove({ item_id: id, event_id }: Event): void {
    const at = this.items.findIndex((item) => item.id === id);
    if (at < 0) {
      this.refuse("There is no such item.", event_id);
      return;
    }
    for (const removed of this.items.splice(at, 1)) this.tokens -= tokensIn(removed);
    this.emit({ type: "conversation.item.deleted", item_id: id });
  }

  private append({ audio, event_id }: Event): void {
    if (typeof audio !== "string") {
      this.refuse("'audio' must be sound in base64.", event_id);
      return;
    }
    this.audioBytes += Math.floor((audio.length * 3) / 4);
  }

  private commit({ event_id }: Event): void {
    const ms = Math.floor(this.audioBytes / BYTES_PER_MS);
    if (ms < MS_PER_TOKEN) {
      this.refuse("The buffer has less than 100 ms of sound in it.", event_id);
      return;
    }
    this.audioBytes = 0;
    const content = [{ type: "input_audio", transcript: null }];
    const weight = { text: 0, audio: Math.ceil(ms / MS_PER_TOKEN) };
    const id = `item_${this.newId()}`;
    this.emit({ type: "input_audio_buffer.committed", item_id: id, previous_item_id: this.items.at(-1)?.id ?? null });
    this.keep({ id, type: "message", role: "user", content }, weight, `[audio: ${ms} ms]`);
    if (this.transcribes()) this.transcribe(id, ms);
  }

  private transcribes(): boolean {
    const { audio } = this.config;
    const input = isRecord(audio) && isRecord(audio.input) ? audio.input : {};
    return isRecord(input.transcription);
  }

  private transcribe(id: string, ms: number): void {
    this.emit({
      type: "conversation.item.input_audio_transcription.completed",
      item_id: id,
      content_index: 0,
      transcript: `[audio: ${ms} ms]`,
      usage: { type: "duration", seconds: ms / 1000 },
    });
  }

  private keep(given: Fields, weight: Weight, said: string | null): void {
    const id = typeof given.id === "string" ? given.id : `item_${this.newId()}`;
    const item = { object: "realtime.item", status: "completed", ...given, id };
    const previous = this.items.at(-1)?.id ?? null;
    this.remember({ id, said, ...weight });
    this.emit({ type: "conversation.item.added", previous_item_id: previous, item });
    this.emit({ type: "conversation.item.done", previous_item_id: previous, item });
  }

  /** The oldest are forgotten when there are too many, as models do. */
  private remember(kept: Kept): void {
    this.items.push(kept);
    this.tokens += tokensIn(kept);
    while (this.tokens > TOKENS_MAX && this.items.length > 1) {
      const oldest = this.items.shift();
      if (oldest) this.tokens -= tokensIn(oldest);
    }
  }

  private respond(asked: Fields): void {
    const read = this.weigh(asked);
    const said = this.items.findLast((item) => item.said !== null)?.said ?? "";
    const { audio } = this.config;
    const voice = isRecord(audio) && isRecord(audio.output) ? audio.output.voice : "alloy";
    const answer = answerEvents({
      text: `You said: ${said}`,
      spoken: isSpoken(asked.output_modalities ?? this.config.output_modalities),
      voice: typeof voice === "string" ? voice : "alloy",
      newId: this.newId,
      read,
      cached: { text: Math.min(this.cached.text, read.text), audio: Math.min(this.cached.audio, read.audio) },
      metadata: isRecord(asked.metadata) ? asked.metadata : null,
    });
    this.cached = read;
    const { item, weight } = answer;
    this.remember({ id: item.id, said: null, ...weight });
    for (const event of answer.events) this.emit(event);
  }

  private weigh(asked: Fields): Weight {
    const instructions = wordsOf(asked.instructions ?? this.config.instructions);
    const weight = { text: countTokens(instructions) + 4, audio: 0 };
    for (const { text, audio } of this.items) {
      weight.text += text;
      weight.audio += audio;
    }
    return weight;
  }
}

/** An empty one counts as well: it takes up room. */
const tokensIn = ({ text, audio }: Weight): number => 1 + text + audio;

const wordsOf = (value: unknown): string => (typeof value === "string" ? value : "");

const textOf = ({ content, output }: Fields): string => {
  if (typeof output === "string") return output;
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  return parts.map(({ text, transcript }) => wordsOf(text ?? transcript)).join(" ");
};
