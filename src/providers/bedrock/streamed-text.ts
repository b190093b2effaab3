import type { ChatDelta } from "../../contract/chat.ts";

/**
 * Text of a stream. When the answer shall be JSON, prose is held back, because the model may be on the way to the tool
 * that hands over the JSON; text that is JSON itself passes.
 */
export class StreamedText {
  private held = "";
  private hasSpoken = false;
  private isReplaced = false;
  private passes: boolean;

  constructor(wantsJson: boolean) {
    this.passes = !wantsJson;
  }

  push(text: string): ChatDelta[] {
    if (this.isReplaced || text === "") return [];
    if (this.passes) return [{ content: text }];
    this.held += text;
    if (!/^\s*[[{]/.test(this.held)) return [];
    this.passes = true;
    return this.flush();
  }

  /** The answer comes by the tool instead; false when one is under way already. */
  replace(): boolean {
    if (this.isReplaced || this.hasSpoken) return false;
    this.isReplaced = true;
    this.held = "";
    return true;
  }

  flush(): ChatDelta[] {
    const text = this.held;
    this.held = "";
    if (text === "") return [];
    this.hasSpoken = true;
    return [{ content: text }];
  }
}
