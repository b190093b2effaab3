/** The vectors that are nearest to one, of all that are shown to it. All of them have length one. */
export class Nearest {
  private best: (readonly [id: number, score: number])[] = [];

  constructor(
    private readonly query: Float32Array,
    private readonly limit: number,
  ) {}

  /** Vectors one behind the other, with their ids. */
  take(ids: readonly number[], vectors: Float32Array): void {
    const { query } = this;
    const { length } = query;
    const scored = ids.map((id, row) => {
      let sum = 0;
      const at = row * length;
      for (let index = 0; index < length; index++) sum += (vectors[at + index] as number) * (query[index] as number);
      return [id, sum] as const;
    });
    this.best = [...this.best, ...scored].sort(([a, x], [b, y]) => y - x || a - b).slice(0, this.limit);
  }

  /** The nearest first. */
  found(): ReadonlyMap<number, number> {
    return new Map(this.best);
  }
}
