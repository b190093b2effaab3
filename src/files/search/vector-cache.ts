import type { PassageStore } from "../store.ts";
import { Nearest } from "./nearest.ts";

interface Kept {
  readonly stamp: string;
  readonly dimensions: number;
  readonly parts: readonly Part[];
  readonly bytes: number;
}

/** Vectors of one length, one behind the other. */
interface Part {
  readonly ids: readonly number[];
  readonly vectors: Float32Array;
}

const BYTES_MAX = 256 * 1024 * 1024;
/** Of one store. A larger one is read through for each search, so that none takes all the memory there is. */
const STORE_BYTES_MAX = 128 * 1024 * 1024;
const PAGE = 1_000;

/**
 * Which passages are near. Databases that compare vectors are asked; for others it is done here, with the vectors of stores that
 * are searched in memory for as long as they are those of the database.
 */
export class VectorCache {
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;

  constructor(
    private readonly passages: PassageStore,
    private readonly storeBytesMax = STORE_BYTES_MAX,
  ) {}

  /** The passages that are nearest to a vector, the nearest first. */
  async nearest(vectorStoreId: string, query: Float32Array, limit: number): Promise<ReadonlyMap<number, number>> {
    const asked = await this.passages.nearest(vectorStoreId, query, limit);
    if (asked) return asked;
    const nearest = new Nearest(query, limit);
    const stamp = await this.passages.stamp(vectorStoreId);
    const known = this.kept.get(vectorStoreId);
    if (known?.stamp === stamp && known.dimensions === query.length) {
      for (const { ids, vectors } of known.parts) nearest.take(ids, vectors);
      return nearest.found();
    }
    let parts: Part[] | null = [];
    let bytes = 0;
    for await (const part of this.read(vectorStoreId, query.length)) {
      nearest.take(part.ids, part.vectors);
      bytes += part.vectors.byteLength;
      if (bytes > this.storeBytesMax) parts = null;
      parts?.push(part);
    }
    if (parts) this.keep(vectorStoreId, { stamp, dimensions: query.length, parts, bytes });
    return nearest.found();
  }

  private async *read(vectorStoreId: string, dimensions: number): AsyncGenerator<Part> {
    for (let after = 0; ; ) {
      const rows = await this.passages.vectors(vectorStoreId, after, PAGE);
      const same = rows.filter(({ vector }) => vector.length === dimensions);
      const vectors = new Float32Array(same.length * dimensions);
      same.forEach(({ vector }, row) => {
        vectors.set(vector, row * dimensions);
      });
      yield { ids: same.map(({ id }) => id), vectors };
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.id ?? after;
    }
  }

  /** The store that was put in first goes first. */
  private keep(id: string, kept: Kept): void {
    this.bytes += kept.bytes - (this.kept.get(id)?.bytes ?? 0);
    this.kept.delete(id);
    this.kept.set(id, kept);
    for (const [oldest, { bytes }] of this.kept) {
      if (this.bytes <= BYTES_MAX || oldest === id) break;
      this.kept.delete(oldest);
      this.bytes -= bytes;
    }
  }
}
