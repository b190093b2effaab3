import { join } from "node:path";
import type { UsageRecord } from "../../contract/usage.ts";
import type { JournalFiles } from "./files.ts";
import { readLines } from "./line.ts";
import { decodeRecord, type JournalRecord, type RecoveredCall } from "./record.ts";

/** What a process that is no more has left behind. */
export interface RecoveredCalls {
  /** Every call that it began: those that ended as they ended, the others at what they had used so far. */
  readonly calls: readonly RecoveredCall[];
  readonly segments: readonly ReadSegment[];
}

export interface ReadSegment {
  readonly path: string;
  readonly records: number;
  /** What cannot be read: lines, an end that is missing, or the file as a whole. */
  readonly damaged: number;
  readonly tornBytes: number;
}

const SEGMENT = /^[0-9]{8}\.log$/;
/** The client got no answer from us; there is no better number for it. */
const ABORTED_STATUS = 503;

/** Reads all files of a folder, in order. Nothing is changed. */
export function readFolder(files: JournalFiles, folder: string): RecoveredCalls {
  const open = new Map<string, RecoveredCall & { readonly inputCost: bigint }>();
  const progress = new Map<string, { readonly units: Partial<UsageRecord>; readonly cost: bigint }>();
  const ended = new Map<string, RecoveredCall>();
  const segments: ReadSegment[] = [];
  const names = files.list(folder).filter((name) => SEGMENT.test(name));
  for (const name of names) {
    const path = join(folder, name);
    const { records, ...found } = readSegment(files, path);
    // Only the last file was being written when the process ended: any other had its end.
    const isCut = found.tornBytes > 0 && name !== names.at(-1);
    segments.push({ path, records: records.length, ...found, damaged: found.damaged + Number(isCut) });
    for (const record of records) {
      if (record.kind === "open") open.set(record.record.id, record);
      else if (record.kind === "progress") progress.set(record.id, record);
      else ended.set(record.record.id, record);
    }
  }
  const calls = [...ended.values()].map(({ record, creditSources }) => ({ record, creditSources }));
  for (const [id, call] of open) {
    if (ended.has(id)) continue;
    const seen = progress.get(id);
    const cost = seen !== undefined && seen.cost > call.inputCost ? seen.cost : call.inputCost;
    calls.push({ creditSources: call.creditSources, record: abortedRecord({ ...call.record, ...seen?.units }, cost) });
  }
  return { calls, segments };
}

/** Never throws: what one file has must not keep the calls of all others from being settled. */
function readSegment(
  files: JournalFiles,
  path: string,
): { readonly records: readonly JournalRecord[]; readonly damaged: number; readonly tornBytes: number } {
  const records: JournalRecord[] = [];
  try {
    const { records: values, damaged, tornBytes } = readLines(files.read(path));
    for (const value of values) {
      const record = decodeRecord(value);
      if (record !== null) records.push(record);
    }
    return { records, damaged: damaged + values.length - records.length, tornBytes };
  } catch {
    // The file stays, under another name, for a person to look at.
    return { records, damaged: 1, tornBytes: 0 };
  }
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
