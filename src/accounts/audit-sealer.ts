import {
  type AuditChainStore,
  BATCH,
  type ChainEnds,
  type ChainWriter,
  isOwnEnd,
  markEnd,
  rowHash,
  type SealedRow,
} from "./audit-chain.ts";

/** The chain was changed by somebody else. Going on from there would cover it up. */
class BrokenChainError extends Error {
  override readonly name = "BrokenChainError";
}

/**
 * Gives rows of the audit log their place in the chain, after they were committed: no change waits for another one's hash.
 * Several processes may do so at the same time, since the store lets in one of them.
 */
export class AuditSealer {
  /** The furthest end that this process has seen: one that is behind it was put back. */
  private seen = 0;
  private sealing: Promise<number> | null = null;

  constructor(
    private readonly store: AuditChainStore,
    private readonly key: Uint8Array,
  ) {}

  /** Everything that waits, and how much it was. */
  seal(): Promise<number> {
    this.sealing ??= this.sealAll().finally(() => {
      this.sealing = null;
    });
    return this.sealing;
  }

  private async sealAll(): Promise<number> {
    let sealed = 0;
    while (await this.store.hasUnsealed()) {
      const rows = await this.store.alone((chain) => this.sealSome(chain));
      // Not before it is committed: what was rolled back is no end that anybody has put back.
      this.seen = rows.at(-1)?.seq ?? this.seen;
      sealed += rows.length;
    }
    return sealed;
  }

  private async sealSome(chain: ChainWriter): Promise<readonly SealedRow[]> {
    const { head } = await this.ownEnds(chain);
    const rows = await chain.unsealed(BATCH);
    const sealed: SealedRow[] = [];
    let { seq, hash } = head;
    for (const row of rows) {
      seq++;
      hash = rowHash(this.key, hash, seq, row);
      sealed.push({ ...row, seq, hash });
    }
    const last = sealed.at(-1);
    if (!last) return sealed;
    await chain.seal(sealed);
    await chain.setEnd("head", markEnd(this.key, "head", last));
    return sealed;
  }

  /** Takes out the oldest rows, up to the first that is younger or was changed: what is evidence stays. Gives how many went. */
  removeBefore(endMs: number): Promise<number> {
    return this.store.alone(async (chain) => {
      const { start } = await this.ownEnds(chain);
      let last: Pick<SealedRow, "seq" | "hash" | "at"> = start;
      for (const row of await chain.sealed(null, BATCH)) {
        if (row.at >= endMs || row.seq !== last.seq + 1) break;
        if (row.hash !== rowHash(this.key, last.hash, row.seq, row)) break;
        last = row;
      }
      if (last === start) return 0;
      await chain.removeUpTo(last.seq);
      await chain.setEnd("start", markEnd(this.key, "start", last));
      return last.seq - start.seq;
    });
  }

  private async ownEnds(chain: ChainWriter): Promise<ChainEnds> {
    const ends = await chain.ends();
    if (!isOwnEnd(this.key, "head", ends.head) || !isOwnEnd(this.key, "start", ends.start))
      throw new BrokenChainError("an end of the audit log's chain was changed by somebody else");
    const isLost = ends.head.seq === 0 && (await chain.sealed(null, 1)).length > 0;
    if (isLost || ends.head.seq < this.seen)
      throw new BrokenChainError("the end of the audit log's chain was put back");
    this.seen = ends.head.seq;
    return ends;
  }
}
