import type { Database, Statement as Prepared } from "bun:sqlite";

/** Statements are prepared once. The bound is there because lists of parameters make endlessly many texts. */
export class StatementCache {
  readonly #prepared = new Map<string, Prepared>();

  constructor(
    private readonly db: Database,
    private readonly entriesMax: number,
  ) {}

  get(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) {
      // Moving it to the end keeps the map in order of last use.
      this.#prepared.delete(sql);
      this.#prepared.set(sql, known);
      return known;
    }
    const prepared = this.db.prepare(sql);
    this.#prepared.set(sql, prepared);
    this.#dropOldest();
    return prepared;
  }

  clear(): void {
    for (const prepared of this.#prepared.values()) prepared.finalize();
    this.#prepared.clear();
  }

  #dropOldest(): void {
    if (this.#prepared.size <= this.entriesMax) return;
    const [oldest] = this.#prepared;
    if (oldest === undefined) return;
    oldest[1].finalize();
    this.#prepared.delete(oldest[0]);
  }
}
