/** What was found to mean about the same. */
export interface Nearest {
  readonly key: string;
  readonly similarity: number;
  /** As what it is kept, where a key is not enough to remove it by. */
  readonly row?: string | undefined;
}

/** Where the vectors of questions are kept, beside the answers. One that is away answers with nothing. */
export interface SemanticIndex {
  nearest(bucket: string, vector: Float32Array): Nearest | null | Promise<Nearest | null>;
  add(bucket: string, key: string, vector: Float32Array): void | Promise<void>;
  remove(bucket: string, found: Pick<Nearest, "key" | "row">): void | Promise<void>;
  clear(): Promise<void>;
}

/** A vector of length one, of which the product with another is their similarity; null for one without a direction. */
export function unitVector(numbers: readonly number[]): Float32Array | null {
  let squares = 0;
  for (const number of numbers) squares += number * number;
  if (!(squares > 0 && squares < Number.POSITIVE_INFINITY)) return null;
  const length = Math.sqrt(squares);
  return Float32Array.from(numbers, (number) => number / length);
}

/** The cosine of two unit vectors of one size. */
export function similarity(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return Math.min(1, sum);
}

/** The nearest of many; of two that are as near, the first. One of another size is another model's, and near to nothing. */
export function nearestOf(
  vectors: Iterable<readonly [key: string, known: Float32Array, row?: string]>,
  vector: Float32Array,
): Nearest | null {
  let best: Nearest | null = null;
  for (const [key, known, row] of vectors) {
    if (known.length !== vector.length) continue;
    const found = similarity(known, vector);
    if (!best || found > best.similarity) best = { key, similarity: found, row };
  }
  return best;
}

/** Compared one by one, so that the number in one bucket bounds the time of a look. */
const PER_BUCKET_MAX = 512;

/** What a vector takes beside its numbers: its key and, where it is the only one, its bucket; the maps' own structure. */
const VECTOR_OVERHEAD_BYTES = 512;
const bytesOf = ({ byteLength }: Float32Array): number => byteLength + VECTOR_OVERHEAD_BYTES;

/** Vectors in this process, up to so many bytes: the bucket that was not asked for the longest time leaves first. */
export class MemoryIndex implements SemanticIndex {
  private readonly buckets = new Map<string, Map<string, Float32Array>>();
  bytes = 0;

  constructor(private readonly bytesMax: number) {}

  nearest(bucket: string, vector: Float32Array): Nearest | null {
    const vectors = this.buckets.get(bucket);
    if (!vectors) return null;
    this.buckets.delete(bucket);
    this.buckets.set(bucket, vectors);
    return nearestOf(vectors, vector);
  }

  add(bucket: string, key: string, vector: Float32Array): void {
    this.remove(bucket, { key });
    const vectors = this.buckets.get(bucket) ?? new Map<string, Float32Array>();
    vectors.set(key, vector);
    this.buckets.set(bucket, vectors);
    this.bytes += bytesOf(vector);
    const [oldest] = vectors.keys();
    if (vectors.size > PER_BUCKET_MAX && oldest !== undefined) this.remove(bucket, { key: oldest });
    for (const stale of this.buckets.keys()) {
      if (this.bytes <= this.bytesMax) break;
      this.drop(stale);
    }
  }

  remove(bucket: string, { key }: Pick<Nearest, "key">): void {
    const vectors = this.buckets.get(bucket);
    const vector = vectors?.get(key);
    if (!vectors || !vector) return;
    vectors.delete(key);
    this.bytes -= bytesOf(vector);
    if (vectors.size === 0) this.buckets.delete(bucket);
  }

  async clear(): Promise<void> {
    this.buckets.clear();
    this.bytes = 0;
  }

  private drop(bucket: string): void {
    for (const vector of this.buckets.get(bucket)?.values() ?? []) this.bytes -= bytesOf(vector);
    this.buckets.delete(bucket);
  }
}
