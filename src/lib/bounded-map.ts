/**
 * A memory of the last so many things: what was put in first is forgotten first. Who is first is kept beside the map: a `Map`
 * that is asked for its first entry passes over all that were deleted before it, which took 130 µs with 100,000 entries.
 */
export class BoundedMap<K, V> {
  private readonly entries = new Map<K, V>();
  /** Keys as they came; once it is full, the oldest stands at `next`. */
  private order: K[] = [];
  private next = 0;

  constructor(private readonly sizeMax: number) {}

  get(key: K): V | undefined {
    return this.entries.get(key);
  }

  /** Gives what had to leave for it. */
  set(key: K, value: V): V | undefined {
    const pushedOut = this.entries.has(key) ? undefined : this.makeRoom(key);
    this.entries.set(key, value);
    return pushedOut;
  }

  delete(key: K): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
    this.order = [];
    this.next = 0;
  }

  values(): IterableIterator<V> {
    return this.entries.values();
  }

  get size(): number {
    return this.entries.size;
  }

  /** One that was deleted has kept its place, and takes nothing with it when it leaves. */
  private makeRoom(key: K): V | undefined {
    if (this.order.length < this.sizeMax) {
      this.order.push(key);
      return undefined;
    }
    const oldest = this.order[this.next] as K;
    const pushedOut = this.entries.get(oldest);
    this.entries.delete(oldest);
    this.order[this.next] = key;
    this.next = (this.next + 1) % this.sizeMax;
    return pushedOut;
  }
}
