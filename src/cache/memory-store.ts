import type { AnswerStore, KeptAnswer, StoreSize } from "./kept-answer.ts";
import { type Used, UseOrder } from "./use-order.ts";

/** What an entry takes beside its body: the key, the maps' own structure, the numbers. */
const ENTRY_OVERHEAD_BYTES = 1024;

interface Entry extends Used {
  readonly key: string;
  readonly answer: KeptAnswer;
  readonly bytes: number;
}

/** Answers in this process, up to so many bytes: what was not used for the longest time leaves first. */
export class MemoryStore implements AnswerStore {
  readonly kind = "local";
  readonly connected = true;
  private readonly entries = new Map<string, Entry>();
  private readonly order = new UseOrder<Entry>();
  private bytes = 0;
  private evicted = 0;

  constructor(
    private readonly bytesMax: number,
    private readonly nowMs: () => number,
  ) {}

  find(key: string): KeptAnswer | null {
    const entry = this.entries.get(key);
    if (!entry) return null;
    if (entry.answer.expiresAtMs <= this.nowMs()) {
      this.remove(entry);
      return null;
    }
    this.order.remove(entry);
    this.order.add(entry);
    return entry.answer;
  }

  keep(key: string, answer: KeptAnswer): void {
    const before = this.entries.get(key);
    if (before) this.remove(before);
    const bytes = bytesOf(answer);
    if (bytes > this.bytesMax) return;
    this.add({ key, answer, bytes, older: null, newer: null });
    while (this.bytes > this.bytesMax && this.order.oldest) {
      this.remove(this.order.oldest);
      this.evicted++;
    }
  }

  async delete(keys: readonly string[]): Promise<number> {
    let deleted = 0;
    for (const key of keys) {
      const entry = this.entries.get(key);
      if (!entry) continue;
      this.remove(entry);
      deleted++;
    }
    return deleted;
  }

  /** Gives back the room of what nobody asks for any more. */
  removeExpired(): void {
    const now = this.nowMs();
    for (const entry of this.entries.values()) if (entry.answer.expiresAtMs <= now) this.remove(entry);
  }

  async clear(): Promise<number> {
    const { size } = this.entries;
    this.entries.clear();
    this.order.clear();
    this.bytes = 0;
    return size;
  }

  async size(): Promise<StoreSize> {
    return this.sizeNow;
  }

  get sizeNow(): { entries: number; bytes: number; evicted: number } {
    return { entries: this.entries.size, bytes: this.bytes, evicted: this.evicted };
  }

  async ping(): Promise<void> {}

  info(): null {
    return null;
  }

  private add(entry: Entry): void {
    this.entries.set(entry.key, entry);
    this.order.add(entry);
    this.bytes += entry.bytes;
  }

  private remove(entry: Entry): void {
    this.entries.delete(entry.key);
    this.order.remove(entry);
    this.bytes -= entry.bytes;
  }
}

/** The runtime keeps a text in one byte for each character, or in two for all of them where one needs more than that. */
const bytesOf = ({ body }: KeptAnswer): number =>
  (Buffer.byteLength(body) === body.length ? body.length : 2 * body.length) + ENTRY_OVERHEAD_BYTES;
