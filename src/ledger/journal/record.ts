import type { CallUnits, CostPart, UsageRecord } from "../../contract/usage.ts";
import { readUsageRow, usageRow } from "../../contract/usage-row.ts";
import type { OpenCall } from "../books.ts";
import type { LineBuffer } from "./line.ts";

/** A call as the journal has it. */
export interface RecoveredCall {
  readonly record: UsageRecord;
  readonly creditSources: readonly string[];
}

/** What stands in the journal. Amounts are text in it: JSON numbers are no 64-bit integers. */
export type JournalRecord =
  | ({ readonly kind: "open"; readonly inputCost: bigint } & RecoveredCall)
  | { readonly kind: "progress"; readonly id: string; readonly units: Partial<CallUnits>; readonly cost: bigint }
  | ({ readonly kind: "end" } & RecoveredCall);

export function addOpen(lines: LineBuffer, { record, creditSources, inputCost }: OpenCall): void {
  const begun = lines.begin().add('{"k":"open","v":').add(usageRow(record)).add(',"p":').add(potsText(creditSources));
  begun.add(',"c":"').add(inputCost.toString()).add('"}').finish();
}

export const progressText = (id: string, units: Partial<CallUnits>, cost: bigint): string =>
  JSON.stringify({ k: "progress", id, r: units, c: String(cost) });

/** `row` is the record's own, and is what the database gets as well. */
export function addEnd(lines: LineBuffer, row: string, creditSources: readonly string[]): void {
  lines.begin().add('{"k":"end","v":').add(row).add(',"p":').add(potsText(creditSources)).add("}").finish();
}

/** By the list: calls that draw on the same share one. */
const potsTexts = new WeakMap<readonly string[], string>();

function potsText(creditSources: readonly string[]): string {
  let text = potsTexts.get(creditSources);
  if (text === undefined) {
    text = JSON.stringify(creditSources);
    potsTexts.set(creditSources, text);
  }
  return text;
}

interface Packed {
  readonly k: string;
  readonly id?: string;
  /** The record as a row; as an object where an earlier version has written it. */
  readonly v?: readonly unknown[];
  readonly r?: Record<string, unknown>;
  readonly p?: readonly string[];
  readonly c?: string;
}

/** Null for what is no record that this version knows. */
export function decodeRecord(value: unknown): JournalRecord | null {
  try {
    const { k, id = "", v, r = {}, p = [], c = "0" } = value as Packed;
    if (k === "progress") return { kind: "progress", id, units: unpack(r), cost: BigInt(c) };
    const record = v ? readUsageRow(v) : (unpack(r) as UsageRecord);
    if (typeof record.id !== "string" || !Array.isArray(p)) return null;
    if (k === "open") return { kind: "open", record, creditSources: p, inputCost: BigInt(c) };
    return k === "end" && typeof record.cost === "bigint" ? { kind: "end", record, creditSources: p } : null;
  } catch {
    // Its checksum is right, so it was written like this: by another version, or by a fault of one.
    return null;
  }
}

function unpack({ cost, providerCost, costParts, ...plain }: Record<string, unknown>): Partial<UsageRecord> {
  return {
    ...plain,
    ...(cost === undefined ? {} : { cost: BigInt(cost as string) }),
    ...(providerCost === undefined ? {} : { providerCost: BigInt(providerCost as string) }),
    ...(costParts === undefined ? {} : { costParts: (costParts as string[][]).map(unpackPart) }),
  };
}

const unpackPart = ([
  component = "",
  thousandths = "0",
  femtoUsd = "0",
  nanoUsd = "0",
]: readonly string[]): CostPart => ({
  component,
  thousandths: BigInt(thousandths),
  femtoUsd: BigInt(femtoUsd),
  nanoUsd: BigInt(nanoUsd),
});
