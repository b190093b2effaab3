import type { AnswerStore, KeptAnswer, StoreSize } from "./kept-answer.ts";

/** What an entry takes beside its body: the key, the maps' own structure, the numbers. */
const ENTRY_OVERHEAD_BYTES = 1024;

/** Answers in this process, up to so many bytes: what was not used for the longest time leaves first. */
export class MemoryStore implements AnswerStore {
  readonly kind = "local";
  readonly connected = true;
  /** In the order in which they were last used. */
  private readonly entries = new Map<string, KeptAnswer>();
  private bytes = 0;
  private evicted = 0;

  constructor(
    private readonly bytesMax: number,
    private readonly nowMs: () => number,
  ) {}

  find(key: string): KeptAnswer | null {
    const answer = this.entries.get(key);
    if (!answer) return null;
    this.remove(key, answer);
    if (answer.expiresAtMs <= this.nowMs()) return null;
    this.add(key, answer);
    return answer;
  }

  keep(key: string, answer: KeptAnswer): void {
    const before = this.entries.get(key);
    if (before) this.remove(key, before);
    if (bytesOf(answer) > this.bytesMax) return;
    this.add(key, answer);
    if (this.bytes <= this.bytesMax) return;
    for (const [oldest, entry] of this.entries) {
      if (this.bytes <= this.bytesMax) break;
      this.remove(oldest, entry);
      this.evicted++;
    }
  }

  async delete(keys: readonly string[]): Promise<number> {
    let deleted = 0;
    for (const key of keys) {
      const entry = this.entries.get(key);
      if (!entry) continue;
      this.remove(key, entry);
      deleted++;
    }
    return deleted;
  }

  /** Gives back the room of what nobody asks for any more. */
  removeExpired(): void {
    const now = this.nowMs();
    for (const [key, answer] of this.entries) if (answer.expiresAtMs <= now) this.remove(key, answer);
  }

  async clear(): Promise<number> {
    const { size } = this.entries;
    this.entries.clear();
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

  private add(key: string, answer: KeptAnswer): void {
    this.entries.set(key, answer);
    this.bytes += bytesOf(answer);
  }

  private remove(key: string, answer: KeptAnswer): void {
    this.entries.delete(key);
    this.bytes -= bytesOf(answer);
  }
}

const bytesOf = ({ body }: KeptAnswer): number => body.byteLength + ENTRY_OVERHEAD_BYTES;
