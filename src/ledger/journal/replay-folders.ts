import { join } from "node:path";
import type { EndedCall, SettleOutcome } from "../settle-store.ts";
import type { JournalFiles } from "./files.ts";
import { readFolder } from "./replay.ts";

export interface ReplayDeps {
  readonly files: JournalFiles;
  /** With a folder for each process. */
  readonly folder: string;
  /** The folder of this process. */
  readonly except: string;
  /** Null where the process of the folder is alive. */
  readonly lock: (folder: string) => { release(): void } | null;
  readonly settle: (owner: string, calls: readonly EndedCall[]) => Promise<SettleOutcome>;
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
  /** Damaged files, under their new names. */
  readonly setAside: readonly string[];
  readonly changedTeams: readonly string[];
}

const BATCH_MAX = 500;

/** Settles what processes that are no more have left behind. Safe to be broken off and begun anew: each call counts once. */
export async function replayFolders(deps: ReplayDeps): Promise<ReplayReport> {
  const report = { calls: 0, settled: 0, aborted: 0, tornBytes: 0, damagedLines: 0 };
  const setAside: string[] = [];
  const changedTeams: string[] = [];
  for (const name of deps.files.list(deps.folder)) {
    if (name === deps.except) continue;
    const folder = join(deps.folder, name);
    const lock = deps.lock(folder);
    if (lock === null) continue;
    try {
      const { calls, segments } = readFolder(deps.files, folder);
      for (let at = 0; at < calls.length; at += BATCH_MAX) {
        const outcome = await deps.settle(name, calls.slice(at, at + BATCH_MAX));
        report.settled += outcome.settled;
        changedTeams.push(...outcome.changedTeams);
      }
      report.calls += calls.length;
      report.aborted += calls.filter(({ record }) => record.status === "aborted").length;
      for (const { path, damaged, tornBytes } of segments) {
        report.damagedLines += damaged;
        report.tornBytes += tornBytes;
        if (damaged === 0) deps.files.remove(path);
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

/** The folder goes with the files of its lock, unless something is kept in it for the next start or for a person. */
export function removeLeftovers(files: JournalFiles, folder: string): void {
  const names = files.list(folder);
  if (names.some((name) => !name.startsWith("lock."))) return;
  for (const name of names) files.remove(join(folder, name));
  files.removeFolder(folder);
}
