import type { Operation } from "../contract/params.ts";
import type { Logger } from "../lib/log.ts";
import type { Timers } from "../lib/timers.ts";
import type { CacheScope } from "./cache-key.ts";
import type { AnswerStore, CachedResponse, FoundAnswer } from "./cached-response.ts";
import type { SemanticIndex } from "./semantic-index.ts";
import { Singleflight } from "./singleflight.ts";

export interface CacheSettings {
  readonly enabled: boolean;
  /** Whether calls that say nothing use it. */
  readonly onByDefault: boolean;
  readonly ttlMs: number;
  readonly namespace: string;
  readonly scope: CacheScope;
  readonly operations: ReadonlySet<Operation>;
  /** A longer answer is not kept. */
  readonly entryBytesMax: number;
  /** What a hit costs, of the price of the call that it stands for. */
  readonly hitPricePercent: number;
  /** Null: only the same question is the same. */
  readonly semantic: SemanticSettings | null;
}

export interface SemanticSettings {
  /** From 0 to 1: questions that are less alike are two. */
  readonly threshold: number;
  /** The group that makes vectors of questions. */
  readonly embeddingModel: string;
  /** Whether the vectors are charged to who asks; else to nobody. */
  readonly chargesEmbeddings: boolean;
}

/** Whoever waits for another's answer longer than this asks for itself. */
const FOLLOW_MAX_MS = 60_000;

/** Since the start of this process. */
export interface CacheCounts {
  hits: number;
  /** Of the hits, those by meaning, and those that waited for another's call. */
  semanticHits: number;
  sharedHits: number;
  misses: number;
  kept: number;
}

/** The answers that may be given again. Off, it is one question on the way of a call. */
export class AnswerCache {
  readonly counts: CacheCounts = { hits: 0, semanticHits: 0, sharedHits: 0, misses: 0, kept: 0 };
  readonly flights: Singleflight<FoundAnswer>;
  /** How often it was emptied: what was asked for before that is not kept after it. */
  emptied = 0;

  constructor(
    readonly settings: () => CacheSettings,
    readonly store: AnswerStore,
    readonly index: SemanticIndex,
    readonly nowMs: () => number,
    private readonly log: Logger,
    timers: Timers,
  ) {
    this.flights = new Singleflight(timers, FOLLOW_MAX_MS);
  }

  get on(): boolean {
    return this.settings().enabled;
  }

  /** What is kept under a key and not older than asked for. */
  find(key: string, ageMaxMs: number | null): CachedResponse | null | Promise<CachedResponse | null> {
    const found = this.store.find(key);
    return found instanceof Promise ? this.youngOf(found, ageMaxMs) : this.youngOrNull(found, ageMaxMs);
  }

  isYoung({ keptAtMs }: CachedResponse, ageMaxMs: number | null): boolean {
    return ageMaxMs === null || this.nowMs() - keptAtMs < ageMaxMs;
  }

  /** Nobody waits for it. */
  keep(key: string, answer: CachedResponse): void {
    this.counts.kept++;
    this.unwaited(this.store.keep(key, answer));
  }

  /** Calls that run have been asked for before now, and whoever asks from now on wants an answer of now. */
  beginAnew(): void {
    this.emptied++;
    this.flights.closeAll();
  }

  async clear(): Promise<number> {
    this.beginAnew();
    const cleared = await this.store.clear();
    await this.index.clear();
    return cleared;
  }

  unwaited(work: void | Promise<void>): void {
    if (work instanceof Promise) work.catch((err: unknown) => this.log.warn({ err }, "an answer could not be kept"));
  }

  private async youngOf(
    found: Promise<CachedResponse | null>,
    ageMaxMs: number | null,
  ): Promise<CachedResponse | null> {
    return this.youngOrNull(await found, ageMaxMs);
  }

  private youngOrNull(answer: CachedResponse | null, ageMaxMs: number | null): CachedResponse | null {
    return answer && this.isYoung(answer, ageMaxMs) ? answer : null;
  }
}
