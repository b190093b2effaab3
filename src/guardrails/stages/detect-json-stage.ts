import type { Stage } from "./stage.ts";

/** Which stage a text goes through is decided by its first sign that is no blank. */
export class DetectJsonStage implements Stage {
  private blanks = "";
  private chosen: Stage | null = null;

  constructor(private readonly choose: (sign: string) => Stage) {}

  push(text: string): string | Promise<string> {
    if (this.chosen) return this.chosen.push(text);
    const all = this.blanks + text;
    const sign = all.trimStart().charAt(0);
    if (sign === "") {
      this.blanks = all;
      return "";
    }
    this.chosen = this.choose(sign);
    return this.chosen.push(all);
  }

  end(): string | Promise<string> {
    return this.chosen ? this.chosen.end() : this.blanks;
  }
}
