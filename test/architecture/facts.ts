/** What the rules need to know about one file. Offsets count from the start of its text. */
export interface SourceFacts {
  readonly functions: readonly FunctionFact[];
  readonly names: readonly NameFact[];
  readonly prose: readonly ProseText[];
}

export interface FunctionFact {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly parameters: number;
}

/** A name that the file gives to something: a variable, a parameter, a function, a type or a member. */
export interface NameFact {
  readonly name: string;
  readonly start: number;
}

export type ProseKind = "comment" | "message" | "page";

/** Text for people. Its length equals the length of its place in the file, so that offsets stay valid. */
export interface ProseText {
  readonly kind: ProseKind;
  readonly start: number;
  readonly text: string;
}

/** Replaces everything but line breaks by spaces. */
export function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/** The line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
