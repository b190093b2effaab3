import type { ChatChunk } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { TOLD_END } from "../../providers/openai-form/tells-end.ts";
import { HeldFrames } from "./buffered-frames.ts";

/** What was delivered beyond this is counted and not kept. */
const KEPT_CHARS_MAX = 1024 * 1024;
/** So much of a stream is held back until somebody asks what it said. */
const UNREAD_LENGTH_MAX = 256 * 1024;

/** The fields of a chunk that hold what a model has said, in a stream that is otherwise passed on as it is. */
const SAID = /"(?:content|reasoning_content|reasoning|arguments|text|refusal)"\s*:\s*"/g;

/** What of an answer has reached the caller: for what has to be charged, or kept, without the upstream's own count. */
export class DeliveredText {
  private kept = "";
  private bytesBeyond = 0;
  private finished = 0;
  /** Frames that nobody has asked about yet: most calls are told their count at the end, and are never looked at here. */
  private unread: HeldFrames | null = null;

  add(text: string | null | undefined): void {
    if (!text) return;
    // Reading 200 frames because one word follows them took a seventh of the whole stream.
    if (this.unread?.length) this.addFrame(`"text":${JSON.stringify(text)}`);
    else this.keep(text);
  }

  private keep(text: string): void {
    if (this.kept.length + text.length <= KEPT_CHARS_MAX) this.kept += text;
    else this.bytesBeyond += Buffer.byteLength(text);
  }

  /** Chunks in our own form that are not parsed otherwise. */
  addFrame(data: string | Uint8Array): void {
    this.unread ??= new HeldFrames();
    this.unread.add(data);
    if (this.unread.length > UNREAD_LENGTH_MAX) this.read();
  }

  private read(): void {
    const frames = this.unread?.length ? this.unread.take() : "";
    if (frames === "") return;
    for (TOLD_END.lastIndex = 0; TOLD_END.test(frames); ) this.finished++;
    // What is matched is not asked for: it would be a list and two texts for each word of a stream.
    for (SAID.lastIndex = 0; SAID.test(frames); ) {
      const start = SAID.lastIndex;
      const end = closingQuote(frames, start);
      if (end < 0) break;
      const said = frames.slice(start, end);
      if (said !== "") this.keep(said.includes("\\") ? unescaped(said) : said);
      SAID.lastIndex = end + 1;
    }
  }

  addChunk({ choices }: ChatChunk): void {
    for (const { delta } of choices) {
      this.add(delta.content);
      this.add(delta.reasoning_content);
      for (const call of delta.tool_calls ?? []) {
        this.add(call.function?.name);
        this.add(call.function?.arguments);
      }
    }
  }

  /** A plain answer: what its choices say. What it has in Anthropic's own form besides is the same once more. */
  addAnswer(body: unknown): void {
    const choices = isRecord(body) && Array.isArray(body.choices) ? body.choices : [];
    for (const choice of choices.filter(isRecord)) {
      const said = isRecord(choice.message) ? choice.message : choice;
      this.addFrame(JSON.stringify({ ...said, anthropic_content: undefined }));
    }
  }

  /** How many choices have ended, of frames that were not parsed. */
  get finishes(): number {
    this.read();
    return this.finished;
  }

  get text(): string {
    this.read();
    return this.kept;
  }

  get bytes(): number {
    this.read();
    return Buffer.byteLength(this.kept) + this.bytesBeyond;
  }
}

/** Where a JSON string ends; -1 where it does not. */
function closingQuote(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end > from && isEscaped(text, from, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(text: string, from: number, at: number): boolean {
  let first = at;
  while (first > from && text.charCodeAt(first - 1) === 92) first--;
  return (at - first) % 2 === 1;
}

function unescaped(said: string): string {
  try {
    return JSON.parse(`"${said}"`) as string;
  } catch {
    return said;
  }
}
