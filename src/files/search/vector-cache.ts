import type { PassageStore } from "../store.ts";

interface Kept {
  readonly stamp: string;
  readonly ids: Int32Array;
  readonly vectors: Float32Array;
  readonly dimensions: number;
}

const BYTES_MAX = 256 * 1024 * 1024;

/** Vectors of stores that are searched, in memory for as long as they are those of the database. */
export class VectorCache {
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;

  constructor(private readonly passages: PassageStore) {}

  /** The passages that are nearest to a vector, the nearest first. */
  async nearest(vectorStoreId: string, query: Float32Array, limit: number): Promise<ReadonlyMap<number, number>> {
    const { ids, vectors, dimensions } = await this.load(vectorStoreId);
    if (dimensions !== query.length) return new Map();
    const scored = Array.from(ids, (id, row) => {
      let sum = 0;
      const at = row * dimensions;
      for (let index = 0; index < dimensions; index++) sum += (vectors[at + index] ?? 0) * (query[index] ?? 0);
      return [id, sum] as const;
    });
    return new Map(scored.sort(([, a], [, b]) => b - a).slice(0, limit));
  }

  private async load(vectorStoreId: string): Promise<Kept> {
    const stamp = await this.passages.stamp(vectorStoreId);
    const known = this.kept.get(vectorStoreId);
    if (known?.stamp === stamp) return known;
    const rows = await this.passages.vectors(vectorStoreId);
    const dimensions = rows[0]?.vector.length ?? 0;
    const same = rows.filter(({ vector }) => vector.length === dimensions);
    const kept: Kept = {
      stamp,
      dimensions,
      ids: Int32Array.from(same, ({ id }) => id),
      vectors: new Float32Array(same.length * dimensions),
    };
    same.forEach(({ vector }, row) => {
      kept.vectors.set(vector, row * dimensions);
    });
    this.keep(vectorStoreId, kept);
    return kept;
  }

  /** The store that was put in first goes first. */
  private keep(id: string, kept: Kept): void {
    this.bytes -= this.kept.get(id)?.vectors.byteLength ?? 0;
    this.kept.delete(id);
    this.kept.set(id, kept);
    this.bytes += kept.vectors.byteLength;
    for (const [oldest, { vectors }] of this.kept) {
      if (this.bytes <= BYTES_MAX || oldest === id) break;
      this.kept.delete(oldest);
      this.bytes -= vectors.byteLength;
    }
  }
}
