import type { Stage } from "./stage.ts";

/** A stage that waits for nobody. */
export interface PromptStage extends Stage {
  push(text: string): string;
  end(): string;
}

const ENDS = /["\\]/g;
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|[^u])/y;
const ESCAPE_CHARS_MAX = 6;

/** The strings of a JSON text, each on its own through a stage, without escapes: behind one, a word is no word any more. */
export class JsonStringsStage implements Stage {
  /** Of the string that is open. */
  private stage: PromptStage | null = null;
  /** An escape that is not whole yet. */
  private begun = "";

  constructor(private readonly newStage: () => PromptStage) {}

  push(text: string): string {
    const all = this.begun + text;
    this.begun = "";
    let out = "";
    for (let at = 0; at < all.length; ) {
      if (this.stage === null) {
        const quote = all.indexOf('"', at);
        if (quote >= 0) this.stage = this.newStage();
        const end = quote < 0 ? all.length : quote + 1;
        out += all.slice(at, end);
        at = end;
      } else {
        const { said, end } = this.read(all, at);
        if (said !== "") out += escaped(this.stage.push(said));
        if (end < all.length) out += this.close();
        at = end + 1;
      }
    }
    return out;
  }

  end(): string {
    const rest = this.stage ? escaped(this.stage.end()) : "";
    this.stage = null;
    return rest + this.begun;
  }

  private close(): string {
    const rest = escaped(this.stage?.end() ?? "");
    this.stage = null;
    return `${rest}"`;
  }

  /** What a string says from here to its quote, or to the end of the text. */
  private read(text: string, from: number): { said: string; end: number } {
    let said = "";
    for (let at = from; ; ) {
      ENDS.lastIndex = at;
      const end = ENDS.exec(text)?.index ?? text.length;
      said += text.slice(at, end);
      if (end === text.length || text.charAt(end) === '"') return { said, end };
      ESCAPE.lastIndex = end;
      const sign = ESCAPE.exec(text)?.[0];
      if (sign === undefined && text.length - end < ESCAPE_CHARS_MAX) {
        this.begun = text.slice(end);
        return { said, end: text.length };
      }
      said += sign === undefined ? "\\" : meaningOf(sign);
      at = end + (sign ?? "\\").length;
    }
  }
}

/** One that is none is taken as it stands. */
function meaningOf(sign: string): string {
  try {
    return String(JSON.parse(`"${sign}"`));
  } catch {
    return sign;
  }
}

/** Half a pair of surrogates stays as it is: the stage of its string keeps it for the other half. */
const escaped = (text: string): string => text.replace(/["\\]|\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1));
