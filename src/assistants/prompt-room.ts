/** What a message costs beside its words. */
const MESSAGE_TOKENS = 4;

/**
 * How much of a prompt still fits. A token is at least one byte, so a short prompt is known to fit without counting; only
 * when it might not are tokens counted.
 */
export class PromptRoom {
  private readonly texts: string[] = [];
  private counted = false;
  private used = 0;

  constructor(
    private readonly limit: number | null,
    private readonly countTokens: (text: string) => Promise<number>,
  ) {}

  /** What had to go in is more than fits. */
  get isOver(): boolean {
    return this.limit !== null && this.used > this.limit;
  }

  /** Takes a text in where it fits, or where it `must`. Gives whether it was taken in. */
  async take(text: string, must: boolean): Promise<boolean> {
    if (this.limit === null) return true;
    let cost = await this.cost(text);
    if (!this.counted && this.used + cost > this.limit) {
      await this.countAll();
      cost = await this.cost(text);
    }
    if (this.used + cost > this.limit && !must) return false;
    this.texts.push(text);
    this.used += cost;
    return true;
  }

  private async countAll(): Promise<void> {
    this.counted = true;
    this.used = 0;
    for (const text of this.texts) this.used += await this.cost(text);
  }

  private async cost(text: string): Promise<number> {
    return (this.counted ? await this.countTokens(text) : Buffer.byteLength(text)) + MESSAGE_TOKENS;
  }
}
