import type { Stage } from "./stage.ts";
import { isInsideSurrogatePair } from "./surrogate-pair.ts";

/** A text that is judged whole is no longer than this. */
const WHOLE_CHARS_MAX = 1024 * 1024;
/** What was passed on before is shown again, so that nothing hides on the border of two windows. */
const OVERLAP_CHARS = 200;

/** Judges a text whose first `seen` characters were judged before; gives back what comes of the rest. */
export type JudgeText = (text: string, seen: number) => string | Promise<string>;

/** Collects a text until there is enough of it to be judged, and passes it on then. */
export class WindowStage implements Stage {
  private held = "";
  private passed = "";

  constructor(
    /** Null: the whole text, at its end. */
    private readonly windowChars: number | null,
    private readonly judge: JudgeText,
    private readonly tooLong: () => Error,
  ) {}

  push(text: string): string | Promise<string> {
    this.held += text;
    const isEnough = this.windowChars !== null && this.held.length >= this.windowChars;
    if (isEnough && !isInsideSurrogatePair(this.held, this.held.length)) return this.pass();
    if (this.held.length > WHOLE_CHARS_MAX) throw this.tooLong();
    return "";
  }

  end(): string | Promise<string> {
    return this.held === "" ? "" : this.pass();
  }

  private pass(): string | Promise<string> {
    const [shown, seen] = [this.passed + this.held, this.passed.length];
    const from = Math.max(0, shown.length - OVERLAP_CHARS);
    this.passed = shown.slice(isInsideSurrogatePair(shown, from) ? from + 1 : from);
    this.held = "";
    return this.judge(shown, seen);
  }
}
