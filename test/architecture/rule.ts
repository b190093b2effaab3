import { lineAt, type SourceFacts } from "./facts.ts";
import { type Imports, readImports } from "./imports.ts";
import { areaOf, type Repository } from "./repository.ts";
import { readSource } from "./source-facts.ts";

/** One place that breaks a rule. */
export interface Place {
  /** The folder whose allowance covers the place. */
  readonly folder: string;
  readonly path: string;
  readonly line: number;
  readonly lastLine: number;
  /** What is wrong, and what to do. */
  readonly message: string;
  /** How much of the allowance the place takes: 1, or the number of files that a folder has too many. */
  readonly count: number;
}

export interface Rule {
  /** The key of the rule in the allowances. */
  readonly name: string;
  readonly find: (sources: Sources) => Place[];
}

/** Everything that the rules read. */
export interface Sources extends Repository {
  readonly facts: ReadonlyMap<string, SourceFacts>;
  readonly imports: Imports;
}

export function readSources(repository: Repository): Sources {
  const { texts } = repository;
  const code = new Map([...texts].filter(([path]) => /\.(?:tsx?|mjs|js)$/.test(path)));
  return {
    ...repository,
    facts: new Map([...texts].map(([path, text]) => [path, readSource(path, text)])),
    imports: readImports(code),
  };
}

/** A place that takes 1 of the allowance of its area; from one offset of the file to another. */
export function placeAt(
  { path, text }: { path: string; text: string },
  { start, end = start }: { start: number; end?: number },
  message: string,
): Place {
  const line = lineAt(text, start);
  const lastLine = line + text.slice(start, end).split("\n").length - 1;
  return { folder: areaOf(path), path, line, lastLine, message, count: 1 };
}
