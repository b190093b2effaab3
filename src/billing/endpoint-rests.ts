/** A failure that took so long was no quick refusal: it kept a place that others wait for. */
const SLOW_MS = 5_000;
const FIRST_REST_MS = 30_000;
const REST_MAX_MS = 10 * 60_000;
const ENDPOINTS_MAX = 10_000;

interface Rest {
  readonly restMs: number;
  untilMs: number;
  isTried: boolean;
}

/**
 * Endpoints that hang. Each delivery to one would take a place for as long as is waited for an answer, so that the endpoints
 * of one organization could hold up those of all others: one delivery at a time finds out whether it is well again.
 */
export class EndpointRests {
  private readonly rests = new Map<string, Rest>();

  constructor(private readonly nowMs: () => number) {}

  /** Carries out one delivery; throws without it while the endpoint rests. */
  async through<T>(endpoint: string, post: () => Promise<T>): Promise<T> {
    const rest = this.rests.get(endpoint);
    const startedAtMs = this.nowMs();
    if (rest && (rest.isTried || startedAtMs < rest.untilMs)) {
      throw new Error("the endpoint took too long before and is left alone for a while");
    }
    if (rest) rest.isTried = true;
    try {
      const result = await post();
      this.rests.delete(endpoint);
      return result;
    } catch (thrown) {
      const now = this.nowMs();
      if (now - startedAtMs >= SLOW_MS) this.begin(endpoint, rest, now);
      else this.rests.delete(endpoint);
      throw thrown;
    }
  }

  private begin(endpoint: string, before: Rest | undefined, nowMs: number): void {
    if (this.rests.size >= ENDPOINTS_MAX) this.rests.clear();
    const restMs = before ? Math.min(before.restMs * 2, REST_MAX_MS) : FIRST_REST_MS;
    this.rests.set(endpoint, { restMs, untilMs: nowMs + restMs, isTried: false });
  }
}
