import { hmacHex } from "../lib/hmac.ts";

/** A row of the audit log as the database has it: `details` is the very text that is stored. */
export interface ChainRow {
  readonly id: string;
  readonly at: number;
  readonly actor: string;
  readonly userId: number | null;
  readonly action: string;
  readonly organizationId: string | null;
  readonly targetType: string;
  readonly targetId: string;
  readonly details: string;
  readonly address: string | null;
}

/** What sealing adds to a row: its place in the chain, and a hash over the row before it and its own content. */
export interface Seal {
  readonly seq: number;
  readonly hash: string;
}

/** How a seal is written down. */
export const SEAL_PATTERN = /^([1-9][0-9]{0,14}):([0-9a-f]{64})$/;

export function readSeal(text: string): Seal | null {
  const [, seq, hash] = SEAL_PATTERN.exec(text) ?? [];
  return seq === undefined || hash === undefined ? null : { seq: Number(seq), hash };
}

export type SealedRow = ChainRow & Seal;

export type EndName = "start" | "head";

/** `start` is the last row that was removed and `head` the last that was sealed; number 0 means that there is none. */
export interface ChainEnd extends Seal {
  /** When the row was written. */
  readonly at: number;
  /** Shows that it was set by this program; empty where it never was. */
  readonly mark: string;
}

export type ChainEnds = Readonly<Record<EndName, ChainEnd>>;

export interface ChainReader {
  ends(): Promise<ChainEnds>;
  /** In the order of the chain, those behind a row. */
  sealed(after: Pick<SealedRow, "seq" | "id"> | null, limit: number): Promise<readonly SealedRow[]>;
  countUnsealed(): Promise<number>;
}

export interface ChainWriter extends ChainReader {
  /** The oldest first. */
  unsealed(limit: number): Promise<readonly ChainRow[]>;
  seal(rows: readonly SealedRow[]): Promise<void>;
  removeUpTo(seq: number): Promise<void>;
  setEnd(name: EndName, end: ChainEnd): Promise<void>;
}

export interface AuditChainStore {
  hasUnsealed(): Promise<boolean>;
  /** One transaction in which nobody else seals or removes, on any process. Whoever writes to the log does not wait for it. */
  alone<T>(work: (chain: ChainWriter) => Promise<T>): Promise<T>;
  /** Everything as it is at one moment, for as long as it takes. */
  snapshot<T>(work: (chain: ChainReader) => Promise<T>): Promise<T>;
}

const FIELDS = [
  "id",
  "at",
  "actor",
  "userId",
  "action",
  "organizationId",
  "targetType",
  "targetId",
  "details",
  "address",
] as const satisfies readonly (keyof ChainRow)[];

/** A JSON list says where each value ends, so no two rows have the same text. */
export const rowHash = (key: Uint8Array, previousHash: string, seq: number, row: ChainRow): string =>
  hmacHex(key, JSON.stringify(["row", previousHash, seq, ...FIELDS.map((field) => row[field])]));

export const markEnd = (key: Uint8Array, name: EndName, { seq, hash, at }: Omit<ChainEnd, "mark">): ChainEnd => ({
  seq,
  hash,
  at,
  mark: hmacHex(key, JSON.stringify([name, seq, hash, at])),
});

/** Whether it was set with this key, or not at all yet. */
export const isOwnEnd = (key: Uint8Array, name: EndName, end: ChainEnd): boolean =>
  end.mark === "" ? end.seq === 0 && end.hash === "" : end.mark === markEnd(key, name, end).mark;

export const BATCH = 500;

/** All sealed rows, a few at a time. */
export async function* sealedRows(chain: ChainReader): AsyncGenerator<readonly SealedRow[]> {
  let after: SealedRow | null = null;
  for (;;) {
    const rows: readonly SealedRow[] = await chain.sealed(after, BATCH);
    yield rows;
    if (rows.length < BATCH) return;
    after = rows.at(-1) ?? null;
  }
}
