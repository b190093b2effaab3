import type { CostPart, UsageRecord } from "../../contract/usage.ts";
import type { OpenCall } from "../books.ts";
import type { EndedCall } from "../settle-store.ts";
import { encodeLine } from "./line.ts";

/** What stands in the journal. Amounts are text in it: JSON numbers are no 64-bit integers. */
export type JournalRecord =
  | {
      readonly kind: "open";
      readonly record: UsageRecord;
      readonly pots: readonly string[];
      readonly inputCost: bigint;
    }
  | { readonly kind: "progress"; readonly id: string; readonly units: Partial<UsageRecord>; readonly cost: bigint }
  | ({ readonly kind: "end" } & EndedCall);

export const openLine = ({ record, pots, inputCost }: OpenCall): string =>
  encodeLine(JSON.stringify({ k: "open", r: pack(record), p: pots, c: String(inputCost) }));

export const progressLine = (id: string, units: Partial<UsageRecord>, cost: bigint): string =>
  encodeLine(JSON.stringify({ k: "progress", id, r: pack(units), c: String(cost) }));

export const endLine = ({ record, pots }: EndedCall): string =>
  encodeLine(JSON.stringify({ k: "end", r: pack(record), p: pots }));

/** Field by field rather than by a replacer, which would cost more than all the rest. */
const pack = ({ cost, providerCost, costParts, ...plain }: Partial<UsageRecord>): object => ({
  ...plain,
  ...(cost === undefined ? {} : { cost: String(cost) }),
  ...(providerCost === undefined ? {} : { providerCost: String(providerCost) }),
  ...(costParts === undefined ? {} : { costParts: costParts.map(packPart) }),
});

const packPart = ({ component, thousandths, femtoUsd, nanoUsd }: CostPart): readonly string[] => [
  component,
  String(thousandths),
  String(femtoUsd),
  String(nanoUsd),
];

interface Packed {
  readonly k: string;
  readonly id?: string;
  readonly r: Record<string, unknown>;
  readonly p?: readonly string[];
  readonly c?: string;
}

/** Null for what is no record that this version knows. */
export function decodeRecord(value: unknown): JournalRecord | null {
  try {
    const { k, id = "", r, p = [], c = "0" } = value as Packed;
    if (k === "progress") return { kind: "progress", id, units: unpack(r), cost: BigInt(c) };
    const record = unpack(r) as UsageRecord;
    if (typeof record.id !== "string" || !Array.isArray(p)) return null;
    if (k === "open") return { kind: "open", record, pots: p, inputCost: BigInt(c) };
    return k === "end" && typeof record.cost === "bigint" ? { kind: "end", record, pots: p } : null;
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
