import { join } from "node:path";
import { isDatabaseAway } from "../../contract/database-away.ts";
import { type EndedCall, endedCall, type LeftOutcome } from "../settle-store.ts";
import type { JournalFiles } from "./files.ts";
import type { RecoveredCall } from "./record.ts";
import { readFolder } from "./replay.ts";
import { RESERVE_NAME } from "./reserve.ts";

export interface ReplayDeps {
  readonly files: JournalFiles;
  /** With a folder for each process. */
  readonly folder: string;
  /** The folder of this process. */
  readonly except: string;
  /** Null where the process of the folder is alive. */
  readonly lock: (folder: string) => { release(): void } | null;
  readonly settle: (owner: string, calls: readonly EndedCall[]) => Promise<LeftOutcome>;
  /** Ends the leases of a process, all of whose calls are settled. */
  readonly drop: (owner: string) => Promise<void>;
}

export interface ReplayReport {
  /** How many calls were found, and how many of them had not been settled before. */
  readonly calls: number;
  readonly settled: number;
  readonly aborted: number;
  readonly tornBytes: number;
  readonly damagedLines: number;
  /** Calls that the database refuses though it is there. */
  readonly refused: number;
  /** Calls from before the log begins, which may have been charged already and were not charged now. */
  readonly forgotten: number;
  /** Damaged files, and those with such calls, under their new names. */
  readonly setAside: readonly string[];
  /** Folders that were left as they are: their processes are alive, or nobody can lock them. */
  readonly leftOut: number;
  readonly changedTeams: readonly string[];
}

const BATCH_MAX = 500;
/** How processes are named. Whatever else lies about, such as the `lost+found` of a disk, is none of ours. */
const OWNER = /^[\w-]+$/;

/** Settles what processes that are no more have left behind. Safe to be broken off and begun anew: each call counts once. */
export async function replayFolders(deps: ReplayDeps): Promise<ReplayReport> {
  const report = {
    calls: 0,
    settled: 0,
    aborted: 0,
    tornBytes: 0,
    damagedLines: 0,
    refused: 0,
    forgotten: 0,
    leftOut: 0,
  };
  const setAside: string[] = [];
  const changedTeams: string[] = [];
  for (const name of deps.files.listFolders(deps.folder)) {
    if (name === deps.except || !OWNER.test(name)) continue;
    const folder = join(deps.folder, name);
    const lock = deps.lock(folder);
    if (lock === null) {
      report.leftOut++;
      continue;
    }
    try {
      deps.files.remove(join(folder, RESERVE_NAME));
      const { calls, segments } = readFolder(deps.files, folder);
      let unsettled = 0;
      for (let at = 0; at < calls.length; at += BATCH_MAX) {
        const outcome = await settleAll(deps, name, calls.slice(at, at + BATCH_MAX));
        report.settled += outcome.settled;
        report.refused += outcome.refused;
        report.forgotten += outcome.forgotten;
        unsettled += outcome.refused + outcome.forgotten;
        changedTeams.push(...outcome.changedTeams);
      }
      report.calls += calls.length;
      report.aborted += calls.filter(({ record }) => record.status === "aborted").length;
      for (const { path, damaged, tornBytes } of segments) {
        report.damagedLines += damaged;
        report.tornBytes += tornBytes;
        if (damaged === 0 && unsettled === 0) deps.files.remove(path);
        else {
          deps.files.rename(path, `${path}.damaged`);
          setAside.push(`${path}.damaged`);
        }
      }
      await deps.drop(name);
    } finally {
      lock.release();
    }
    removeLeftovers(deps.files, folder);
  }
  return { ...report, setAside, changedTeams };
}

/**
 * Throws only while the database is away. A call that it refuses is found by halving: it must keep neither the others from
 * being settled nor the program from its start.
 */
async function settleAll(
  deps: ReplayDeps,
  owner: string,
  calls: readonly RecoveredCall[],
): Promise<Pick<ReplayReport, "settled" | "refused" | "forgotten" | "changedTeams">> {
  try {
    const ended = calls.map(({ record, creditSources }) => endedCall(record, creditSources));
    return { ...(await deps.settle(owner, ended)), refused: 0 };
  } catch (thrown) {
    if (isDatabaseAway(thrown)) throw thrown;
    if (calls.length === 1) return { settled: 0, refused: 1, forgotten: 0, changedTeams: [] };
  }
  const half = Math.ceil(calls.length / 2);
  const first = await settleAll(deps, owner, calls.slice(0, half));
  const second = await settleAll(deps, owner, calls.slice(half));
  return {
    settled: first.settled + second.settled,
    refused: first.refused + second.refused,
    forgotten: first.forgotten + second.forgotten,
    changedTeams: [...first.changedTeams, ...second.changedTeams],
  };
}

/** The folder goes with the files of its lock, unless something is kept in it for the next start or for a person. */
export function removeLeftovers(files: JournalFiles, folder: string): void {
  const names = files.list(folder);
  if (names.some((name) => !name.startsWith("lock."))) return;
  for (const name of names) files.remove(join(folder, name));
  files.removeFolder(folder);
}
