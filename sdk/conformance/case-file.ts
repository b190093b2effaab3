import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Text as it is, or in parts that repeat. */
export type Text = string | ReadonlyArray<string | { readonly repeat: string; readonly times: number }>;
type Part = readonly [name: string, content: string | { readonly base64: string }];

export interface CaseRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly json?: unknown;
  readonly text?: Text;
  readonly base64?: string;
  readonly multipart?: readonly Part[];
  readonly gzip?: boolean;
  readonly chunked?: boolean;
  /** Without its last byte until a step says `go_on`. */
  readonly held?: boolean;
  /** A byte every few milliseconds. */
  readonly dripped?: boolean;
}

export interface CaseResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: Text;
  readonly base64?: string;
  /** The body of an error without the request's id. */
  readonly failure?: Readonly<Record<string, unknown>>;
  /** What the model's function got, told by itself as parameters. */
  readonly described?: unknown;
  readonly includes?: Readonly<Record<string, unknown>>;
  readonly keep?: string;
  readonly same_as?: string;
  readonly not_same_as?: string;
}

export interface Step {
  readonly request?: CaseRequest;
  readonly response?: CaseResponse;
  readonly background?: string;
  readonly finish?: string;
  /** Sends the last byte of a request that is held in the background. */
  readonly go_on?: string;
  readonly until?: { readonly path: string; readonly includes: Readonly<Record<string, unknown>> };
}

export interface Case extends Step {
  readonly name: string;
  readonly steps?: readonly Step[];
}

export interface CaseFile {
  readonly file: string;
  readonly about: string;
  readonly participant: Readonly<Record<string, unknown>>;
  readonly cases: readonly Case[];
}

export function readCaseFiles(folder: string): CaseFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((file) => ({ file, ...JSON.parse(readFileSync(join(folder, file), "utf8")) }));
}

export function spell(text: Text): string {
  if (typeof text === "string") return text;
  return text.map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times))).join("");
}
