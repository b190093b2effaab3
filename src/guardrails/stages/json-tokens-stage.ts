import { PLACEHOLDER_NAME as NAME } from "../vault.ts";
import type { PromptStage } from "./json-strings-stage.ts";

/** What is done with the parts of a JSON text. */
export interface JsonWriting {
  /** Something that stands outside of strings, as numbers do, and has a placeholder in it. */
  bare(token: string): string;
  /** What strings say goes through it. */
  readonly inside: PromptStage;
  /** Whether a string that is this placeholder and nothing else stands for a number, and is to be `bare` again. */
  isNumber(placeholder: string): boolean;
}

const PLACEHOLDER = new RegExp(`\\[${NAME}\\]`, "y");
const PLACEHOLDER_BEGUN = new RegExp(`\\[(?:${NAME})?$`, "y");
const BARE = /[^\s,:{}[\]"]+/y;
/** A string that is a placeholder, and the sign behind it: a colon is behind the name of a field, which stays a string. */
const WHOLE_STRING = new RegExp(`"(\\[${NAME}\\])"(\\s{0,64})(?=\\S)`, "y");
const WHOLE_STRING_BEGUN = new RegExp(`"(?:\\[(?:${NAME}(?:\\](?:"\\s{0,64})?)?)?)?$`, "y");
const STRING_ENDS = /["\\]/g;

/** Tells apart what is a string in a JSON text and what is none, in any pieces; all but placeholders passes as it is. */
export class JsonTokensStage implements PromptStage {
  private held = "";
  /** Of what stands outside of strings: not known yet to be whole. */
  private token = "";
  private hasPlaceholder = false;
  private inString = false;

  constructor(private readonly writing: JsonWriting) {}

  push(text: string): string {
    return this.read(this.held + text, false);
  }

  end(): string {
    const rest = this.read(this.held, true);
    return rest + (this.inString ? this.writing.inside.end() : this.endToken());
  }

  private read(text: string, isAll: boolean): string {
    this.held = "";
    let out = "";
    for (let at = 0; at < text.length; ) {
      if (!isAll && this.isOpen(text, at)) {
        this.held = text.slice(at);
        break;
      }
      const [shown, end] = this.inString ? this.insideOf(text, at) : this.outsideOf(text, at, isAll);
      out += shown;
      at = end;
    }
    return out;
  }

  /** Whether more text decides what begins here. */
  private isOpen(text: string, at: number): boolean {
    if (this.inString) return text.charAt(at) === "\\" && at + 1 === text.length;
    return matchAt(PLACEHOLDER_BEGUN, text, at) !== null || matchAt(WHOLE_STRING_BEGUN, text, at) !== null;
  }

  private insideOf(text: string, from: number): [shown: string, end: number] {
    const { inside } = this.writing;
    STRING_ENDS.lastIndex = from;
    const end = STRING_ENDS.exec(text)?.index ?? text.length;
    if (text.charAt(end) === '"') {
      this.inString = false;
      return [`${inside.push(text.slice(from, end))}${inside.end()}"`, end + 1];
    }
    // An escape goes with what it is the escape of; one that begins here is looked at first the next time.
    const until = end === from && end < text.length ? end + 2 : end;
    return [inside.push(text.slice(from, until)), until];
  }

  private outsideOf(text: string, at: number, isAll: boolean): [shown: string, end: number] {
    const placeholder = matchAt(PLACEHOLDER, text, at)?.[0];
    const part = placeholder ?? matchAt(BARE, text, at)?.[0];
    if (part !== undefined) {
      this.token += part;
      this.hasPlaceholder ||= placeholder !== undefined;
      return ["", at + part.length];
    }
    const before = this.endToken();
    if (text.charAt(at) !== '"') return [before + text.charAt(at), at + 1];
    const [whole = "", name = "", blanks = ""] = matchAt(WHOLE_STRING, isAll ? `${text}}` : text, at) ?? [];
    if (name !== "" && text.charAt(at + whole.length) !== ":" && this.writing.isNumber(name))
      return [before + this.writing.bare(name) + blanks, at + whole.length];
    this.inString = true;
    return [`${before}"`, at + 1];
  }

  private endToken(): string {
    const { token, hasPlaceholder } = this;
    this.token = "";
    this.hasPlaceholder = false;
    return hasPlaceholder ? this.writing.bare(token) : token;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
