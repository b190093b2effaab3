import type { OpenCall } from "../../src/ledger/books.ts";
import { readFolder } from "../../src/ledger/journal/replay.ts";
import { FileJournal, type JournalDeps } from "../../src/ledger/journal/usage-journal.ts";
import type { EndedCall } from "../../src/ledger/settle-store.ts";
import { MemoryFiles } from "./memory-files.ts";
import { newCall } from "./new-call.ts";
import { SteppedTime } from "./stepped-time.ts";

/** A journal over files in memory, on stepped time, without a reserve. */
export function bench(given: Partial<JournalDeps> = {}) {
  const files = new MemoryFiles();
  const time = new SteppedTime();
  const ended: EndedCall[] = [];
  const faults: string[] = [];
  const journal = new FileJournal({
    files,
    folder: "journal/me",
    timers: time,
    defer: (work) => void Promise.resolve().then(work),
    sync: "interval",
    reserveBytes: 0,
    onEnd: (call) => ended.push(call),
    onFault: (_, what) => faults.push(what),
    ...given,
  });
  return { files, time, ended, faults, journal, read: () => readFolder(files, "journal/me") };
}

export function openCall(id: string, inputCost = 5n): OpenCall {
  const record = newCall({
    id,
    organizationId: "org",
    costParts: [{ component: "input", thousandths: 1_000n, femtoUsd: 2n ** 60n, nanoUsd: 3n }],
  });
  return { ...record, record, creditSources: ["wallet:org"], inputCost };
}

export const endOf = (id: string, cost = 7n) => newCall({ id, organizationId: "org", cost, providerCost: 2n ** 62n });
