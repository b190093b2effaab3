import { hostname } from "node:os";
import { join } from "node:path";
import { type Finding, isSound } from "../ledger/audit.ts";
import type { CreditReservations, UsageJournal } from "../ledger/books.ts";
import { walletOf } from "../ledger/entry.ts";
import { systemFiles } from "../ledger/journal/files.ts";
import { type ReplayReport, removeLeftovers, replayFolders } from "../ledger/journal/replay-folders.ts";
import { FileJournal } from "../ledger/journal/usage-journal.ts";
import { LeasedCredit } from "../ledger/leased-credit.ts";
import { Settler } from "../ledger/settler.ts";
import type { Clock } from "../lib/clock.ts";
import { randomBase62 } from "../lib/ids.ts";
import type { Logger } from "../lib/log.ts";
import { SerialQueue } from "../lib/serial-queue.ts";
import { systemTimers, type Timers } from "../lib/timers.ts";
import { DataDirLockedError, type DataLock, lockDataDir } from "../storage/data-lock.ts";
import type { Storage } from "../storage/open.ts";

export interface BooksDeps {
  readonly storage: Pick<Storage, "leases" | "settlement" | "audit">;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sync: "interval" | "always";
  /** No other process uses the database. */
  readonly isAlone?: boolean;
  /** A team was blocked or unblocked by its balance. */
  readonly forgetTeam: (teamId: string) => void;
  /** These calls are in the database. */
  readonly onSettled?: (ids: readonly string[]) => void;
  readonly timers?: Timers;
}

export interface Books {
  readonly desk: CreditReservations;
  readonly journal: UsageJournal;
  /** Credit was added to the organization, or taken back from it. */
  credited(organizationId: string): void;
  /** From now on nobody takes this process for one that is no more. Never throws: on a full disk the journal tries again. */
  claim(): void;
  /** Settles what former processes left behind. After the migrations; may be called again after a failure. */
  prepare(): Promise<ReplayReport>;
  /** From now on leases are prolonged and given back by themselves. */
  start(): void;
  /** Settles everything that has ended. False while the database does not take it. Never throws. */
  flush(): Promise<boolean>;
  /** Settles everything, gives all leases back and lets go of the files. Never throws. */
  stop(): Promise<void>;
  /** Recomputes the books in the background, mends what is only a sum, and counts what differs still. Never throws. */
  reconcile(): Promise<void>;
  readonly standing: () => BooksStanding;
}

export interface BooksStanding {
  readonly owner: string;
  readonly desk: LeasedCredit["standing"];
  readonly settler: Settler["standing"];
  readonly journal: FileJournal["standing"];
  readonly faults: number;
  readonly damagedLines: number;
  /** What the last reconciliation found to differ. */
  readonly differences: number;
}

const TICK_MS = 250;
const JOURNAL_FOLDER = "journal";
/** How long a stop waits for each further try: a database that is busy or changes its server takes it a moment later. */
const LAST_TRIES_MS = [250, 500, 1_000];
/** One that does not answer at all is not asked again: what stops a process gives it half a minute for everything. */
const LAST_TRIES_FOR_MS = 4_000;

/** Admission, the journal of calls and their settlement, joined. */
export function composeBooks({ storage, dataDir, clock, log, sync, forgetTeam, ...rest }: BooksDeps): Books {
  const { isAlone = false, onSettled } = rest;
  const timers = rest.timers ?? systemTimers;
  const folder = join(dataDir, JOURNAL_FOLDER);
  // A name that no other process has or had: leases and files are found by it.
  const owner = `${hostname()
    .replaceAll(/[^\w-]/g, "_")
    .slice(0, 40)}-${process.pid}-${randomBase62(8)}`;
  const turns = new SerialQueue();
  let faults = 0;
  let damagedLines = 0;
  let differences = 0;
  const onFault = (thrown: unknown, what: string): void => {
    faults++;
    log.error({ err: thrown }, what);
  };
  const flushSoon = (): void => settler.flushSoon();
  const desk = new LeasedCredit({ store: storage.leases, owner, clock, timers, turns, isAlone, flushSoon });
  const settler = new Settler({
    store: storage.settlement,
    owner,
    clock,
    timers,
    turns,
    onFault,
    onSettled(calls, costs, { leases, changedTeams }) {
      desk.settled(costs, leases);
      const ids = calls.map(({ record }) => record.id);
      journal.settled(ids);
      onSettled?.(ids);
      for (const teamId of changedTeams) forgetTeam(teamId);
    },
  });
  let ownLock: DataLock | null = null;
  const lockOwn = (): void => {
    ownLock ??= lockDataDir(join(folder, owner));
  };
  const journal = new FileJournal({
    files: {
      ...systemFiles,
      makeFolder(path) {
        systemFiles.makeFolder(path);
        // Before there is anything in it: what lies in a folder that nobody holds is settled by whoever finds it.
        lockOwn();
      },
    },
    folder: join(folder, owner),
    timers,
    defer: setImmediate,
    sync,
    onFault,
    onEnd(call) {
      if (settler.add(call)) desk.spend(call.creditSources, call.record.cost);
    },
  });
  /** What is only a sum is made anew, and the books are looked at again; the rest is for a person. */
  const mended = async (findings: readonly Finding[]): Promise<readonly Finding[]> => {
    if (isSound(findings)) return findings;
    const done = await storage.audit.mend(clock.nowMs());
    for (const { name, what, changedTeams } of done) {
      onFault(null, `the books differed and were mended (${name}): ${what}`);
      for (const teamId of changedTeams) forgetTeam(teamId);
    }
    return done.length === 0 ? findings : storage.audit.look(clock.nowMs());
  };
  let ticking = false;
  let stopped = false;
  const tick = async (): Promise<void> => {
    try {
      await desk.tick();
      if (stopped) return;
      journal.tidy();
      ticking = true;
    } catch (thrown) {
      // While the database is away this would be a line for each tick.
      if (ticking) onFault(thrown, "leases cannot be looked after; trying again");
      ticking = false;
    }
    if (!stopped) timers.after(TICK_MS, tick);
  };
  return {
    desk,
    journal,
    credited: (organizationId) => desk.credited(walletOf(organizationId)),
    claim() {
      try {
        lockOwn();
      } catch (thrown) {
        log.warn({ err: thrown }, "the folder of the usage journal cannot be made yet");
      }
    },
    async prepare() {
      const report = await replayFolders({
        files: systemFiles,
        folder,
        except: owner,
        lock: (path) => lockOrNull(path, onFault),
        settle: (name, calls) => storage.settlement.settleRecovered(name, calls, clock.nowMs()),
        drop: (name) => storage.leases.drop(name),
      });
      // Only now: on a disk that is full of what was left behind, there is room for a folder of our own once that is settled.
      lockOwn();
      damagedLines += report.damagedLines;
      for (const teamId of report.changedTeams) forgetTeam(teamId);
      if (report.calls > 0) log.info({ ...report }, "calls of a former process were settled");
      // The usual trace of a process that was killed; of anything else it may be the only one.
      if (report.tornBytes > 0)
        log.warn({ tornBytes: report.tornBytes }, "the journal broke off in the middle of a record");
      if (report.forgotten > 0)
        onFault(
          null,
          `${report.forgotten} calls in the journal are older than the log, and were not charged: they may have been`,
        );
      for (const path of report.setAside)
        onFault(null, `the journal has records that cannot be settled; the file is set aside: ${path}`);
      return report;
    },
    start: () => void timers.after(TICK_MS, tick),
    flush: () => settler.flush(),
    async stop() {
      stopped = true;
      try {
        const triedSinceMs = clock.monotonicMs();
        let done = await settler.flush();
        for (const pause of LAST_TRIES_MS) {
          if (done || clock.monotonicMs() - triedSinceMs > LAST_TRIES_FOR_MS) break;
          await new Promise<void>((resolve) => timers.after(pause, resolve));
          done = await settler.flush();
        }
        settler.stop();
        if (!done) log.warn({ calls: settler.standing.waiting, folder }, LEFT_BEHIND);
        try {
          await journal.close();
        } finally {
          // Whatever happened: a folder that stays locked would never be read again while this process lives.
          ownLock?.release();
          ownLock = null;
        }
        removeLeftovers(systemFiles, join(folder, owner));
        if (done) await desk.close();
      } catch (thrown) {
        onFault(thrown, "the books could not be closed; the next start goes on from the journal");
      }
    },
    async reconcile() {
      try {
        const findings = await mended(await storage.audit.look(clock.nowMs()));
        const broken = findings.filter((finding) => finding.differences.length > 0);
        differences = broken.reduce((sum, finding) => sum + finding.differences.length, 0);
        for (const { name, meaning, differences: found } of broken) {
          onFault(null, `the books differ (${name}: ${meaning}): ${found.join("; ")}`);
        }
      } catch (thrown) {
        onFault(thrown, "the books cannot be recomputed");
      }
    },
    standing: () => ({
      owner,
      desk: desk.standing,
      settler: settler.standing,
      journal: journal.standing,
      faults,
      damagedLines,
      differences,
    }),
  };
}

const LEFT_BEHIND =
  "the database did not take all calls; they stay in the journal, and the next start over this folder settles them";

/** Null where another process has it, which is alive then, or where nobody can: what lies there waits for a person. */
function lockOrNull(folder: string, onFault: (thrown: unknown, what: string) => void): DataLock | null {
  try {
    const lock = lockDataDir(folder);
    if (lock.wasDamaged) onFault(null, `the lock of a journal folder was damaged and is made anew: ${folder}`);
    return lock;
  } catch (thrown) {
    if (!(thrown instanceof DataDirLockedError)) {
      onFault(thrown, `a journal folder cannot be locked; its calls are settled by a start that can: ${folder}`);
    }
    return null;
  }
}
