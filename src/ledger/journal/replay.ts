import { join } from "node:path";
import type { UsageRecord } from "../../contract/usage.ts";
import type { EndedCall } from "../settle-store.ts";
import type { JournalFiles } from "./files.ts";
import { readLines } from "./line.ts";
import { decodeRecord } from "./record.ts";

/** What a process that is no more has left behind. */
export interface LeftBehind {
  /** Every call that it began: those that ended as they ended, the others at what they had used so far. */
  readonly calls: readonly EndedCall[];
  readonly segments: readonly ReadSegment[];
}

export interface ReadSegment {
  readonly path: string;
  readonly records: number;
  /** Lines in the middle that cannot be read. */
  readonly damaged: number;
  readonly tornBytes: number;
}

const SEGMENT = /^[0-9]{8}\.log$/;
/** The client got no answer from us; there is no better number for it. */
const ABORTED_STATUS = 503;

/** Reads all files of a folder, in order. Nothing is changed. */
export function readFolder(files: JournalFiles, folder: string): LeftBehind {
  const open = new Map<string, EndedCall & { readonly inputCost: bigint }>();
  const progress = new Map<string, { readonly units: Partial<UsageRecord>; readonly cost: bigint }>();
  const ended = new Map<string, EndedCall>();
  const segments: ReadSegment[] = [];
  for (const name of files.list(folder)) {
    if (!SEGMENT.test(name)) continue;
    const path = join(folder, name);
    const { records, damaged, tornBytes } = readLines(files.read(path));
    segments.push({ path, records: records.length, damaged, tornBytes });
    for (const value of records) {
      const record = decodeRecord(value);
      if (record?.kind === "open") open.set(record.record.id, record);
      else if (record?.kind === "progress") progress.set(record.id, record);
      else if (record?.kind === "end") ended.set(record.record.id, record);
    }
  }
  const calls = [...ended.values()].map(({ record, pots }) => ({ record, pots }));
  for (const [id, call] of open) {
    if (ended.has(id)) continue;
    const seen = progress.get(id);
    const cost = seen !== undefined && seen.cost > call.inputCost ? seen.cost : call.inputCost;
    calls.push({ pots: call.pots, record: abortedRecord({ ...call.record, ...seen?.units }, cost) });
  }
  return { calls, segments };
}

/** A call that this program did not bring to its end. What it cost is not in parts: they are not known. */
const abortedRecord = (record: UsageRecord, cost: bigint): UsageRecord => ({
  ...record,
  status: "aborted",
  statusCode: ABORTED_STATUS,
  errorCode: "aborted",
  estimated: true,
  cost,
  providerCost: record.providerCost > cost ? record.providerCost : cost,
  costParts: [],
});
