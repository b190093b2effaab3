import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { RoundLog } from "./round-log.ts";
import { RunError } from "./run-error.ts";
import { ROUNDS, type RoundRecord, RUN_ID, RunFolder } from "./run-folder.ts";

/** One return of a run to an earlier round. */
interface Rollback {
  /** The last round that stayed; zero: the start. */
  readonly round: number;
  /** How many participants were asked in each round that was removed: its privacy is spent nevertheless. */
  readonly asked: readonly number[];
}

const FILE = "rollbacks.json";
/** Replies of rounds that are not finished, and notes about them. */
const OPEN_ROUNDS = ["replies", "arrivals", "asks", "secure", "spool"];

/**
 * Removes the rounds after this one, with their models. Participants remember replies of the removed rounds, so the run
 * gets another name for them. The log is cut after all replies are gone: no reply of a removed round ever counts.
 */
export function rollBack(path: string, round: number): RoundRecord | null {
  const folder = new RunFolder(path);
  const rounds = folder.rounds();
  if (round > rounds.length) throw new RunError(`it has ${rounds.length} finished rounds, and no round ${round}`);
  const removed = rounds.slice(round);
  const asked = removed.map((one) => one.replies.length + one.dropped.length);
  folder.writeFile(FILE, JSON.stringify([...readRollbacks(folder), { round, asked }]));
  folder.writeFile(RUN_ID, randomUUID());
  for (const name of OPEN_ROUNDS) rmSync(join(path, name), { recursive: true, force: true });
  new RoundLog<RoundRecord>(join(path, ROUNDS)).truncate(round);
  const needed = new Set(rounds.slice(0, round).flatMap(({ modelIn, modelOut }) => [modelIn, modelOut]));
  for (const name of readdirSync(join(path, "models"))) {
    if (!needed.has(name)) rmSync(join(path, "models", name), { force: true });
  }
  return rounds[round - 1] ?? null;
}

/** The name of a hosted run for its participants. */
export function nameAfterRollbacks(name: string, folder: RunFolder): string {
  const { length } = readRollbacks(folder);
  return length === 0 ? name : `${name}.${length}`;
}

/** The memory of a strategy after the last round. A rollback resets it: only that of the newest round is on disk. */
export function stateAfter(folder: RunFolder, rounds: readonly RoundRecord[]): RoundRecord["stateOut"] {
  const last = rounds.at(-1);
  const isReset = last === undefined || readRollbacks(folder).at(-1)?.round === last.round;
  return isReset ? {} : last.stateOut;
}

/** How many participants were asked in each round that rollbacks removed. */
export const askedInRemoved = (folder: RunFolder): readonly number[] =>
  readRollbacks(folder).flatMap(({ asked }) => asked);

const readRollbacks = (folder: RunFolder): readonly Rollback[] =>
  JSON.parse(folder.readFile(FILE) ?? "[]") as readonly Rollback[];
