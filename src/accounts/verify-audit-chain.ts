import {
  type AuditChainStore,
  type ChainEnds,
  isOwnEnd,
  rowHash,
  type Seal,
  type SealedRow,
  sealedRows,
} from "./audit-chain.ts";

export interface ChainDifference {
  readonly seq: number;
  /** Null where there is no such row. */
  readonly id: string | null;
  readonly what: string;
}

export interface ChainReport {
  /** Nothing differs. Rows that are not sealed yet say nothing about it. */
  readonly ok: boolean;
  /** From the first row that is kept up to this one nothing differs. */
  readonly verifiedUpTo: number;
  /** Rows up to this one were removed by retention; 0 where none was. */
  readonly removedUpTo: number;
  readonly sealed: number;
  readonly unsealed: number;
  readonly firstDifference: ChainDifference | null;
  readonly differences: number;
  /** How many are missing, and which: the first ranges of them. */
  readonly missingRows: number;
  readonly missing: readonly { readonly from: number; readonly to: number }[];
  /** How the end that was noted fares: found again, gone with what retention removed, or not what it was. */
  readonly noted: "found" | "removed" | "differs" | null;
  /** Where the chain ends. Whoever notes it elsewhere can have it compared later. */
  readonly head: Seal;
}

const RANGES_MAX = 20;

/**
 * Computes the whole chain again. `noted` is an end that was told before: with it, rows that were cut off together with the
 * record of them are found too.
 */
export const verifyAuditChain = (
  store: Pick<AuditChainStore, "snapshot">,
  key: Uint8Array,
  noted: Seal | null = null,
): Promise<ChainReport> =>
  store.snapshot(async (chain) => {
    const ends = await chain.ends();
    const walk = new Walk(key, ends, noted);
    for await (const rows of sealedRows(chain)) for (const row of rows) walk.pass(row);
    return walk.end(await chain.countUnsealed());
  });

class Walk {
  private last: Seal;
  private sealed = 0;
  private isFound = false;
  private differences = 0;
  private first: ChainDifference | null = null;
  private missingRows = 0;
  private readonly missing: { from: number; to: number }[] = [];

  constructor(
    private readonly key: Uint8Array,
    private readonly ends: ChainEnds,
    private readonly noted: Seal | null,
  ) {
    this.last = ends.start;
    if (!isOwnEnd(key, "start", ends.start)) this.differ(ends.start.seq, null, "the record of what was removed");
  }

  pass(row: SealedRow): void {
    const { seq, id } = row;
    this.sealed++;
    if (seq <= this.last.seq) {
      this.differ(seq, id, "its number is another row's");
      return;
    }
    // The hash of the row before is gone with it, so this one cannot be compared.
    if (seq > this.last.seq + 1) this.miss(this.last.seq + 1, seq - 1);
    else if (row.hash !== rowHash(this.key, this.last.hash, seq, row)) this.differ(seq, id, "it was changed");
    if (seq === this.noted?.seq) {
      this.isFound = row.hash === this.noted.hash;
      if (!this.isFound) this.differ(seq, id, "it is not the row that was noted");
    }
    this.last = row;
  }

  end(unsealed: number): ChainReport {
    const { head, start } = this.ends;
    const { seq, hash } = this.last;
    if (!isOwnEnd(this.key, "head", head)) this.differ(head.seq, null, "the record of the chain's end");
    const endsAt = Math.max(head.seq, this.noted?.seq ?? 0);
    if (seq < endsAt) this.miss(seq + 1, endsAt);
    else if (seq > head.seq) this.differ(head.seq + 1, null, "rows stand behind the chain's end");
    else if (hash !== head.hash) this.differ(seq, null, "the chain does not end with this row");
    return {
      ok: this.first === null,
      verifiedUpTo: this.first === null ? seq : Math.max(this.first.seq - 1, 0),
      removedUpTo: start.seq,
      sealed: this.sealed,
      unsealed,
      firstDifference: this.first,
      differences: this.differences,
      missingRows: this.missingRows,
      missing: this.missing,
      noted: this.noted && (this.isFound ? "found" : this.noted.seq <= start.seq ? "removed" : "differs"),
      head: { seq: head.seq, hash: head.hash },
    };
  }

  private miss(from: number, to: number): void {
    this.missingRows += to - from + 1;
    if (this.missing.length < RANGES_MAX) this.missing.push({ from, to });
    this.differ(from, null, "it is missing");
  }

  private differ(seq: number, id: string | null, what: string): void {
    this.differences++;
    if (this.first === null || seq < this.first.seq) this.first = { seq, id, what };
  }
}
