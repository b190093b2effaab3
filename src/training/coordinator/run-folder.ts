import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { StrategyState } from "../strategies/strategy.ts";

/** What became of one round, with hashes of what went in and what came out. */
export interface RoundRecord {
  readonly round: number;
  readonly at: string;
  readonly strategy: string;
  readonly modelIn: string | null;
  readonly modelOut: string;
  readonly stateOut: Readonly<Record<string, string>>;
  readonly replies: ReadonlyArray<{
    readonly participant: string;
    readonly sha256: string;
    readonly bytes: number;
    /** Null where only the sum was seen, and so is the norm. */
    readonly numExamples: number | null;
    readonly norm: number | null;
    readonly counted: boolean;
  }>;
  readonly dropped: ReadonlyArray<{
    readonly participant: string;
    readonly reason: string;
    /** In which phase of a secure round. */
    readonly phase?: string;
  }>;
  readonly accuracy: number | null;
  readonly loss: number | null;
  readonly cosine: number | null;
  readonly warning: string | null;
  readonly epsilon: number | null;
  /** What was agreed on where the coordinator saw only the sum; absent where it saw updates. */
  readonly secure?: {
    readonly attempt: number;
    readonly threshold: number;
    readonly asked: number;
    readonly weight: number;
  };
}

export interface StoredReply {
  readonly participant: string;
  readonly numExamples: number;
  readonly bytes: Uint8Array;
}

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * A run on disk. Everything is written under another name, flushed and then renamed, and the line of a round comes last: whatever
 * is named there is whole, and a process that is killed at any instant goes on from the last line.
 */
export class RunFolder {
  private readonly log: string;

  constructor(readonly path: string) {
    this.log = join(path, "rounds.jsonl");
    for (const folder of ["models", "replies"]) mkdirSync(join(path, folder), { recursive: true });
  }

  /** Keeps the plan with the run, and refuses to go on with another one. */
  claim(plan: unknown): string {
    const text = JSON.stringify(plan);
    const file = join(this.path, "plan.json");
    if (!existsSync(file)) this.write(file, Buffer.from(text));
    if (readFileSync(file, "utf8") !== text) throw new Error(`${this.path} holds a run of another plan`);
    return hashOf(Buffer.from(text)).slice(0, 16);
  }

  /** The rounds that were finished. A torn last line is of a round that was not. */
  rounds(): RoundRecord[] {
    if (!existsSync(this.log)) return [];
    const lines = readFileSync(this.log, "utf8").split("\n");
    return lines.slice(0, -1).map((line) => JSON.parse(line) as RoundRecord);
  }

  commit(record: RoundRecord): void {
    const whole = this.rounds()
      .map((one) => `${JSON.stringify(one)}\n`)
      .join("");
    this.write(this.log, Buffer.from(`${whole}${JSON.stringify(record)}\n`));
    rmSync(this.repliesOf(record.round), { recursive: true, force: true });
  }

  saveModel(bytes: Uint8Array): string {
    const hash = hashOf(bytes);
    this.write(join(this.path, "models", hash), bytes);
    return hash;
  }

  loadModel(hash: string): Uint8Array {
    const bytes = readFileSync(join(this.path, "models", hash));
    if (hashOf(bytes) !== hash) throw new Error(`the model ${hash} in ${this.path} is damaged`);
    return bytes;
  }

  saveState(state: StrategyState): Record<string, string> {
    const entries = [...state].map(([name, values]) => [
      name,
      this.saveModel(new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
    ]);
    return Object.fromEntries(entries);
  }

  loadState(hashes: Readonly<Record<string, string>>): StrategyState {
    return new Map(
      Object.entries(hashes).map(([name, hash]) => [
        name,
        new Float32Array(Uint8Array.from(this.loadModel(hash)).buffer),
      ]),
    );
  }

  /** Answers of a round that is not finished: those are not asked for again. */
  replies(round: number): StoredReply[] {
    const folder = this.repliesOf(round);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith(".reply"))
      .sort()
      .map((name) => {
        const bytes = readFileSync(join(folder, name));
        const numExamples = bytes.readDoubleLE(0);
        return { participant: name.slice(0, -".reply".length), numExamples, bytes: bytes.subarray(8) };
      });
  }

  keepReply(round: number, { participant, numExamples, bytes }: StoredReply): void {
    const head = Buffer.alloc(8);
    head.writeDoubleLE(numExamples);
    this.write(join(this.repliesOf(round), `${participant}.reply`), Buffer.concat([head, bytes]));
  }

  writeFile(name: string, content: string | Uint8Array): string {
    const file = join(this.path, name);
    this.write(file, typeof content === "string" ? Buffer.from(content) : content);
    return file;
  }

  private repliesOf(round: number): string {
    return join(this.path, "replies", String(round));
  }

  private write(file: string, bytes: Uint8Array): void {
    mkdirSync(dirname(file), { recursive: true });
    const temporary = `${file}.${process.pid}.part`;
    const handle = openSync(temporary, "w");
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  }
}
