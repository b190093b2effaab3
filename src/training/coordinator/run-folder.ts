import { createHash, randomBytes, randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeFolderDurably, moveDurably } from "../../lib/durable.ts";
import { type ModelFile, openModel } from "../model-file.ts";
import type { StrategyState } from "../strategies/strategy.ts";
import type { Source } from "../threads/source.ts";
import { type Spooled, spoolTo } from "../wire/spool.ts";
import { RoundLog } from "./round-log.ts";
import { RunError } from "./run-error.ts";
import { essenceOf } from "./same-plan.ts";

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
    /** How many models were made since the one that it began from; absent where none was. */
    readonly staleness?: number;
    /** How the change was packed; absent where the whole model came. */
    readonly packed?: string;
    /** Which arrival it was, of all arrivals of an asynchronous run. */
    readonly arrival?: number;
  }>;
  readonly dropped: ReadonlyArray<{
    readonly participant: string;
    readonly reason: string;
    /** In which phase of a secure round. */
    readonly phase?: string;
  }>;
  readonly accuracy: number | null;
  readonly loss: number | null;
  /** Who was asked how good the model is and did not say it, and why; absent where all did. */
  readonly evaluationFailures?: ReadonlyArray<{ readonly participant: string; readonly reason: string }>;
  /** The participant that put the updates together; absent where the coordinator did. */
  readonly aggregatedBy?: string;
  readonly cosine: number | null;
  readonly warning: string | null;
  readonly epsilon: number | null;
  /** How many bytes did not have to be sent because changes were packed; absent where none was. */
  readonly savedBytes?: number;
  /** What was agreed on where the coordinator saw only the sum; absent where it saw updates. */
  readonly secure?: {
    readonly attempt: number;
    readonly threshold: number;
    readonly asked: number;
    readonly weight: number;
  };
}

/** What an answer says beside its bytes. */
export interface ReplyFacts {
  readonly participant: string;
  readonly numExamples: number;
  /** The hash of the model that it began from; null where it began from nothing. */
  readonly startedFrom: string | null;
}

/** An answer on disk. */
export interface StoredReply extends ReplyFacts {
  /** The round that it was asked in; of an asynchronous run, how many models there were. */
  readonly round: number;
  readonly arrival?: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly path: string;
}

export const RUN_ID = "run-id";
export const PLAN = "plan.json";
export const ROUNDS = "rounds.jsonl";
const SECRET = "secret";
/** How the name of a file ends that is being written. */
const PART = ".part";

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Where the floats of an answer stand in one row, if they had to be put there. */
export const rowOf = (path: string): string => `${path}.row`;

/**
 * A run on disk. Everything is written under another name, flushed and then renamed for good, and the line of a round comes last:
 * whatever is named there is whole, and a process that is killed at any instant, or loses its power, goes on from the last line.
 */
export class RunFolder {
  private readonly log: RoundLog<RoundRecord>;

  /** `requireRoom` throws where the disk has too little room for more; it is asked before much is written. */
  constructor(
    readonly path: string,
    private readonly requireRoom: () => void = () => undefined,
  ) {
    this.log = new RoundLog<RoundRecord>(join(path, ROUNDS));
    for (const folder of ["models", "replies", "spool"]) makeFolderDurably(join(path, folder));
  }

  /**
   * Keeps the plan with the run, and refuses to go on with another one; gives what participants know the run by. Two runs of one
   * plan are two runs: what a participant remembers of one is none of the other's. One process at a time runs it.
   */
  claim(plan: unknown): string {
    this.clearLeft();
    const text = JSON.stringify(plan);
    const file = join(this.path, PLAN);
    if (!existsSync(file)) this.writeFile(RUN_ID, randomUUID());
    else if (essenceOf(JSON.parse(readFileSync(file, "utf8"))) !== essenceOf(JSON.parse(text))) {
      throw new RunError(
        `${this.path} holds a run of another plan; name another folder with --folder, or give the plan another name`,
      );
    }
    if (this.readFile(PLAN) !== text) this.writeFile(PLAN, text);
    this.log.repair();
    this.forgetCounted();
    // Folders of before were called by their plans.
    return this.readFile(RUN_ID) ?? hashOf(Buffer.from(text)).slice(0, 16);
  }

  /** What was being taken in, written or removed when the one before ended is of no use: an answer without its line is none. */
  private clearLeft(): void {
    for (const name of readdirSync(join(this.path, "spool"))) rmSync(join(this.path, "spool", name), { force: true });
    for (const name of readdirSync(this.path, { recursive: true, encoding: "utf8" })) {
      const [reply] = /^.*\.reply(?=(\.row)?$)/.exec(name) ?? [];
      const isAlone = reply !== undefined && !existsSync(join(this.path, `${reply}.json`));
      if (isAlone || name.endsWith(PART)) rmSync(join(this.path, name), { force: true });
    }
  }

  /** The one before may have ended between the line of a round and the removal of its answers. */
  private forgetCounted(): void {
    const rounds = readdirSync(join(this.path, "replies"));
    if (rounds.length === 0) return;
    const counted = this.counted();
    for (const name of rounds) {
      this.forget(this.replies(Number(name)).filter((reply) => counted.has(keyOf(reply.round, reply.participant))));
      removeEmpty(join(this.path, "replies", name));
    }
  }

  /** The rounds that were finished. */
  rounds(): RoundRecord[] {
    return this.log.list();
  }

  /** Writes the line of a round; the answers that were looked at for it are not needed any more. */
  commit(record: RoundRecord, considered: readonly StoredReply[] = []): void {
    this.log.append(record);
    this.forget(considered);
    this.forgetState();
  }

  /**
   * What a strategy remembered before the last round is of no use, and as large as models are. That of two rounds is looked at: a
   * process may have ended between the line of a round and this.
   */
  private forgetState(): void {
    const rounds = this.rounds();
    const needed = new Set(Object.values(rounds.at(-1)?.stateOut ?? {}));
    const before = rounds.slice(-3, -1).flatMap(({ stateOut }) => Object.values(stateOut));
    const old = before.filter((hash) => !needed.has(hash));
    if (old.length === 0) return;
    const models = new Set(rounds.flatMap(({ modelIn, modelOut }) => [modelIn, modelOut]));
    for (const hash of old) if (!models.has(hash)) rmSync(this.modelPath(hash), { force: true });
  }

  /** These answers are as if they had never come. */
  forget(replies: readonly StoredReply[]): void {
    for (const { path } of replies) {
      for (const file of [`${path}.json`, path, rowOf(path)]) rmSync(file, { force: true });
    }
    // Those of an asynchronous run lie in a folder that stays.
    for (const round of new Set(replies.map((reply) => reply.round))) {
      removeEmpty(join(this.path, "replies", String(round)));
    }
  }

  saveModel(pieces: readonly Uint8Array[]): string {
    this.requireRoom();
    const hash = createHash("sha256");
    for (const piece of pieces) hash.update(piece);
    const name = hash.digest("hex");
    this.write(this.modelPath(name), pieces);
    return name;
  }

  /** Moves bytes that were taken in to the models. */
  addModel({ path, sha256 }: Spooled): string {
    moveDurably(path, this.modelPath(sha256));
    return sha256;
  }

  modelPath(hash: string): string {
    return join(this.path, "models", hash);
  }

  loadModel(hash: string): Uint8Array {
    const bytes = readFileSync(this.modelPath(hash));
    if (hashOf(bytes) !== hash) throw new Error(`the model ${hash} in ${this.path} is damaged`);
    return bytes;
  }

  /** Where its floats stand in one row of 32 bits; written beside it where they do not. */
  openModel(hash: string, shape: readonly number[] | null): ModelFile {
    return openModel(this.modelPath(hash), rowOf(join(this.path, "spool", hash)), shape);
  }

  saveState(state: StrategyState): Record<string, string> {
    const entries = [...state].map(([name, values]) => [
      name,
      this.saveModel([new Uint8Array(values.buffer, values.byteOffset, values.byteLength)]),
    ]);
    return Object.fromEntries(entries);
  }

  /** Where the numbers lie that a strategy remembers. */
  openState(hashes: Readonly<Record<string, string>>): Record<string, Source> {
    const sources = Object.entries(hashes).map(([name, hash]) => {
      const path = this.modelPath(hash);
      return [name, { path, offset: 0, length: statSync(path).size / 4 }] as const;
    });
    return Object.fromEntries(sources);
  }

  loadState(hashes: Readonly<Record<string, string>>): StrategyState {
    const entries = Object.entries(hashes).map(
      ([name, hash]) => [name, new Float32Array(Uint8Array.from(this.loadModel(hash)).buffer)] as const,
    );
    return new Map(entries);
  }

  /** Writes bytes to a file as they arrive. They are never in memory as a whole. */
  spool(chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Spooled> {
    return spoolTo(join(this.path, "spool", randomUUID()), chunks, { bytesMax, requireRoom: this.requireRoom });
  }

  /** From now on the answer is here: its bytes first, then the line that speaks of them. */
  keepReply(round: number, facts: ReplyFacts, { path: spooled, sha256, bytes }: Spooled): void {
    const path = join(this.path, "replies", String(round), `${facts.participant}.reply`);
    makeFolderDurably(dirname(path));
    moveDurably(spooled, path);
    this.write(`${path}.json`, [Buffer.from(JSON.stringify({ ...facts, round, sha256, bytes }))]);
  }

  /** Answers of a round that is not finished: those are not asked for again. */
  replies(round: number): StoredReply[] {
    const folder = join(this.path, "replies", String(round));
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort()
      .map((name) => ({
        ...(JSON.parse(readFileSync(join(folder, name), "utf8")) as Omit<StoredReply, "path">),
        path: join(folder, name.slice(0, -".json".length)),
      }))
      .sort((a, b) => (a.participant < b.participant ? -1 : 1));
  }

  /** Answers that came after their round; those that count already are not among them. */
  lateReplies(round: number): StoredReply[] {
    const counted = this.counted();
    return readdirSync(join(this.path, "replies"))
      .map(Number)
      .filter((asked) => asked < round)
      .sort((a, b) => a - b)
      .flatMap((asked) => this.replies(asked))
      .filter((reply) => !counted.has(keyOf(reply.round, reply.participant)));
  }

  /** Answers that are in the line of a round. */
  private counted(): ReadonlySet<string> {
    return new Set(
      this.rounds().flatMap((record) =>
        record.replies.map(({ participant, staleness = 0 }) => keyOf(record.round - staleness, participant)),
      ),
    );
  }

  /** What nobody but this run knows, made when it is first needed: a run that goes on draws the same from it. */
  secret(): string {
    const known = this.readFile(SECRET);
    if (known !== null) return known;
    const made = randomBytes(32).toString("hex");
    this.writeFile(SECRET, made);
    return made;
  }

  readFile(name: string): string | null {
    const file = join(this.path, name);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  }

  writeFile(name: string, content: string | Uint8Array): string {
    const file = join(this.path, name);
    this.write(file, [typeof content === "string" ? Buffer.from(content) : content]);
    return file;
  }

  private write(file: string, pieces: readonly Uint8Array[]): void {
    makeFolderDurably(dirname(file));
    const temporary = `${file}.${process.pid}${PART}`;
    try {
      const handle = openSync(temporary, "w");
      try {
        for (const bytes of pieces) for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      moveDurably(temporary, file);
    } catch (thrown) {
      // A disk that is full must not stay so because of what it did not take.
      rmSync(temporary, { force: true });
      throw thrown;
    }
  }
}

/** Names an answer by the round that it was asked in. */
const keyOf = (round: number, participant: string): string => `${round} ${participant}`;

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is left in it, or it is gone: both are fine.
  }
}
