import { type Operation, takesAudio } from "../../contract/params.ts";
import { type CallGuards, WITHHELD } from "../../guardrails/call-guards.ts";
import type { Stage } from "../../guardrails/stages/stage.ts";
import { isRecord } from "../../lib/json.ts";
import { parseAnswer } from "../attempts/read-response.ts";
import type { FrameSource } from "../streaming/write-stream.ts";
import {
  dropEchoes,
  dropOwnForm,
  dropTornSegments,
  dropWords,
  type Place,
  placesOfAnswer,
  takeSources,
  textsOfAnswer,
} from "./response-fields.ts";
import { GuardedFrames } from "./stream-guard.ts";
import { joinSubtitleLines } from "./subtitle-lines.ts";

/** What is stored in place of an answer that was refused. */
const withheld = (): string => WITHHELD;

const choicesOf = ({ choices }: Record<string, unknown>): Record<string, unknown>[] =>
  Array.isArray(choices) ? choices.filter(isRecord) : [];

/** Where a choice names the stop that ended it. */
const STOPS = ["stop_reason", "stop_sequence"] as const;

/** No more of a stream is stored. */
const KEPT_CHARS_MAX = 256 * 1024;

/** The guardrails of a call, as its answer meets them. */
export class ResponseGuard {
  /** What may be stored of the answer so far, as JSON, where it differs from what was delivered. */
  private kept: (() => string) | null = null;
  private body: string | null = null;

  constructor(
    private readonly guards: CallGuards,
    private readonly operation: Operation,
    /** Those that look beside the call. */
    private readonly during: Promise<void> | null,
    /** The request wants what the model says to be JSON. */
    private readonly saysJson = false,
    /** The caller gets the answer in blocks, one after the other, and brings thoughts back in one piece with their signatures. */
    readonly inBlocks = false,
  ) {}

  get checksResponse(): boolean {
    return this.guards.checksResponse;
  }

  get masksAnswer(): boolean {
    return this.guards.masksAnswer;
  }

  get judgesAnswer(): boolean {
    return this.guards.judgesAnswer;
  }

  /** Waits for those that look beside the call; throws where they refuse it. */
  async beside(): Promise<void> {
    if (this.during) await this.during;
  }

  /** What the model has said, for those that only watch; null where a stream's text tells it. */
  get said(): readonly string[] | null {
    if (this.body === null) return null;
    return textsOfAnswer(this.operation, this.body);
  }

  /** A whole answer in JSON, as the caller gets it. */
  async plain(body: string): Promise<string> {
    if (this.guards.monitorsOnly) this.body = body;
    this.kept = withheld;
    await this.beside();
    if (!this.checksResponse) {
      this.kept = null;
      return body;
    }
    const parsed = parseAnswer(body);
    const choices = isRecord(parsed) ? choicesOf(parsed) : [];
    for (const choice of choices) dropOwnForm(choice);
    if (isRecord(parsed) && this.masksAnswer) {
      if (Array.isArray(parsed.choices)) takeSources(parsed);
      for (const choice of choices) dropEchoes(choice);
      if (takesAudio(this.operation)) dropWords(parsed);
    }
    if (isRecord(parsed) && takesAudio(this.operation) && typeof parsed.text === "string")
      parsed.text = this.joinSubtitleLines(parsed.text);
    const places = placesOfAnswer(this.operation, parsed);
    const stored: string[] = [];
    for (const { holder, field, part } of places) {
      let kept = "";
      const stage = this.stage(part, true, (text) => {
        kept += text;
      });
      const shown = (await stage.push(String(holder[field]))) + (await stage.end());
      stored.push(kept);
      holder[field] = shown;
    }
    if (isRecord(parsed) && this.masksAnswer && takesAudio(this.operation)) dropTornSegments(parsed);
    const named = choices.map((choice) => this.nameStop(choice));
    const shown = JSON.stringify(parsed);
    for (const [index, { holder, field }] of places.entries()) holder[field] = stored[index];
    for (const [index, choice] of choices.entries()) Object.assign(choice, named[index]);
    const keptBody = JSON.stringify(parsed);
    this.kept = () => keptBody;
    return shown;
  }

  /** The stop of the request's that ended a choice is named as the caller wrote it; gives what was named. */
  nameStop(choice: Record<string, unknown>): Record<string, string> {
    const named: Record<string, string> = {};
    for (const field of STOPS) {
      const stop = choice[field];
      if (typeof stop !== "string") continue;
      named[field] = stop;
      choice[field] = this.guards.putBack(stop);
    }
    return named;
  }

  restored(json: string): string {
    return this.guards.restored(json);
  }

  /** A text that is no JSON, such as subtitles. */
  async text(text: string): Promise<string> {
    this.kept = withheld;
    await this.beside();
    let kept = "";
    const stage = this.stage("content", true, (piece) => {
      kept += piece;
    });
    const shown = (await stage.push(this.joinSubtitleLines(text))) + (await stage.end());
    this.kept = () => JSON.stringify(kept);
    return shown;
  }

  /** Some have the text of a transcript in lines, too. */
  private joinSubtitleLines(text: string): string {
    return joinSubtitleLines(text, (said) => this.guards.placesIn(said));
  }

  /** The frames of a stream, as the caller gets them. */
  frames(source: FrameSource, refuse: (thrown: unknown) => Promise<void>): FrameSource {
    if (!this.checksResponse && this.during === null) return source;
    let kept = "";
    this.kept = null;
    const keep = (text: string): void => {
      if (kept.length < KEPT_CHARS_MAX) kept += text;
      this.kept ??= () => JSON.stringify(kept);
    };
    return new GuardedFrames(source, this, keep, refuse);
  }

  stage(given: Place["part"], whole: boolean, keep: (text: string) => void): Stage {
    const part = given !== "thought" ? given : this.inBlocks ? "sealed" : "aside";
    return this.guards.answer(part, whole, keep, this.saysJson);
  }

  /** What is stored of an answer; `given` is what would be without guardrails. */
  storedAnswer(given: string | null): string | null {
    const answer = this.kept?.() ?? (this.checksResponse ? null : given);
    return answer === null ? null : this.guards.stored(answer);
  }

  storedRequest(json: string): string {
    return this.guards.storedRequest(json);
  }
}
