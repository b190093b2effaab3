import { isDatabaseAway } from "../contract/database-away.ts";
import type { Gate } from "../lib/gate.ts";
import { LEASE_MS, type LeasedTask, type StopReason } from "../lib/leased-task-runner.ts";
import { retryUntil } from "../lib/retry-until.ts";
import type { BatchDeps, CallAnswer } from "./batch-deps.ts";
import { BatchInput } from "./batch-input.ts";
import * as states from "./batch-states.ts";
import type { Batch, BatchFault, LineResult } from "./records.ts";
import { answeredLine } from "./result-lines.ts";
import { writeResults } from "./write-results.ts";

/** Lines of one batch at a time. */
const LINES_AT_ONCE = 4;
/** How long a line waits that has to come later, where nothing else is said, and at the least and the most. */
const WAIT_MS = 5_000;
const WAIT_MIN_MS = 1_000;
const WAIT_MAX_MS = 60_000;

/** One batch, from being taken up to its end or to the moment when somebody else goes on. */
export class Execution implements LeasedTask {
  readonly id: string;
  readonly teamId: string | null;
  readonly expiresAt: number;
  readonly ended: Promise<void>;
  private readonly done = Promise.withResolvers<void>();
  private readonly aborter = new AbortController();
  private readonly rests = new Set<{ readonly untilMs: number; readonly wake: () => void }>();
  private halted: StopReason | null = null;
  private taken = false;

  constructor(
    private readonly deps: BatchDeps,
    private readonly owner: string,
    given: Batch,
    /** Shared by all batches of the process. */
    private readonly gate: Gate,
  ) {
    this.id = given.id;
    this.teamId = given.teamId;
    this.expiresAt = given.expiresAt;
    this.ended = this.done.promise;
  }

  get isTaken(): boolean {
    return this.taken;
  }

  /** No further line is called. Those that are under way come to their end, which is paid for, unless somebody else goes on. */
  halt(reason: StopReason): void {
    this.stopCalling(reason);
    if (reason === "lost" || reason === "left") this.aborter.abort();
  }

  drain(): void {
    this.stopCalling("left");
  }

  /** Lines that have rested until now, by the clock that nobody sets, are tried again. */
  wake(nowMs: number): void {
    for (const rest of this.rests) if (rest.untilMs <= nowMs) rest.wake();
  }

  /** Never throws: what cannot be gone on with now is taken up again when its lease is over. */
  async carryOut(): Promise<void> {
    const { store, clock, log } = this.deps;
    try {
      const batch = await store.change(this.id, (found) => states.claim(found, this.owner, clock.nowMs()));
      this.taken = batch !== null;
      if (batch) await this.work(batch);
    } catch (err) {
      if (this.halted === "lost" || this.halted === "left") return;
      // One that is gone, with its team, cannot be gone on with and need not be.
      if (await this.release(clock.nowMs() + LEASE_MS)) {
        log.warn({ batchId: this.id, err }, "a batch cannot be gone on with now; it is taken up again");
      }
    } finally {
      if (this.halted === "left") await this.release(0);
      this.done.resolve();
    }
  }

  private stopCalling(reason: StopReason): void {
    const isGivenUp = reason === "lost" || (reason === "left" && this.halted !== "lost");
    if (isGivenUp || this.halted === null) this.halted = reason;
    this.wake(Number.POSITIVE_INFINITY);
  }

  private async work(taken: Batch): Promise<void> {
    const input = new BatchInput(taken.asked.endpoint, this.deps.lineBytesMax);
    try {
      const faults = await this.read(taken, input);
      const batch = taken.status === "validating" ? await this.begin(input, faults) : taken;
      if (!states.isActive(batch.status)) return;
      const isWhole = faults.length === 0;
      if (batch.status === "in_progress" && isWhole) await this.callLines(batch, input);
      if (this.halted === "left" || this.halted === "lost") return;
      await this.finish(await this.finalized(faults), isWhole ? input : null);
    } finally {
      input.discard();
    }
  }

  private async read({ asked, attempts, ...owner }: Batch, input: BatchInput): Promise<readonly BatchFault[]> {
    if (attempts > states.ATTEMPTS_MAX) return [DEADLY];
    const bytes = await this.deps.files.read(owner, asked.inputFileId);
    return bytes ? input.fill(bytes) : [GONE];
  }

  private begin(input: BatchInput, faults: readonly BatchFault[]): Promise<Batch> {
    const now = this.deps.clock.nowMs();
    return this.change((found) =>
      faults.length > 0 ? states.refuse(found, faults, now) : states.begin(found, input.lines.length, now),
    );
  }

  private async callLines(batch: Batch, input: BatchInput): Promise<void> {
    const done = new Set(await this.deps.store.listDone(batch.id));
    const left = input.lines.filter((line) => !done.has(line)).values();
    const broken: unknown[] = [];
    const work = async (): Promise<void> => {
      for (const line of left) {
        if (this.halted || broken.length > 0) return;
        await this.callLine(batch, input, line).catch((thrown) => broken.push(thrown));
      }
    };
    await Promise.all(Array.from({ length: LINES_AT_ONCE }, work));
    if (broken.length > 0) throw broken[0];
  }

  private async callLine(batch: Batch, input: BatchInput, line: number): Promise<void> {
    const { call } = this.deps;
    const { signal } = this.aborter;
    const { customId, body } = await input.take(line);
    while (!this.halted) {
      const answer = await this.gate.run<CallAnswer | null>(async () =>
        this.halted ? null : call(batch, body, signal),
      );
      // What was broken off is no answer of anybody's: who goes on asks again.
      if (answer === null || signal.aborted) return;
      if (answer.kind === "later") {
        await this.rest(answer.waitMs ?? WAIT_MS);
        continue;
      }
      return this.keep({ line, failed: answer.status >= 400, text: answeredLine(customId, answer) });
    }
  }

  /** What is paid for is not let go of because the database is away for a moment. */
  private async keep(result: LineResult): Promise<void> {
    const { store } = this.deps;
    const isKept = await retryUntil(
      () => store.keepLine(this.owner, this.id, result),
      isDatabaseAway,
      this.aborter.signal,
    );
    if (!isKept) this.halt("lost");
  }

  private async rest(waitMs: number): Promise<void> {
    const untilMs = this.deps.clock.monotonicMs() + Math.min(WAIT_MAX_MS, Math.max(WAIT_MIN_MS, waitMs));
    const awake = Promise.withResolvers<void>();
    const rest = { untilMs, wake: awake.resolve };
    this.rests.add(rest);
    if (this.halted) awake.resolve();
    await awake.promise;
    this.rests.delete(rest);
  }

  /** The batch with no line left to call; one that is being cancelled stays as it is. */
  private finalized(faults: readonly BatchFault[]): Promise<Batch> {
    const now = this.deps.clock.nowMs();
    return this.change((found) => states.finalize(found, faults, now));
  }

  private async finish(batch: Batch, input: BatchInput | null): Promise<void> {
    const { store, clock } = this.deps;
    const uncalled = await writeResults(this.deps, batch, input);
    await store.end(this.id, (found) =>
      found.leaseOwner === this.owner ? states.end(found, uncalled, clock.nowMs()) : null,
    );
  }

  /** What it is then, whether or not `decide` had anything to change. */
  private async change(decide: (batch: Batch) => Batch | null): Promise<Batch> {
    const changed = await this.deps.store.change(this.id, (found) =>
      found.leaseOwner === this.owner ? (decide(found) ?? found) : null,
    );
    if (changed) return changed;
    this.halt("lost");
    throw new Error("the batch is carried out elsewhere");
  }

  /** False where it is not held here any more. */
  private async release(untilMs: number): Promise<boolean> {
    const { store, log } = this.deps;
    try {
      const left = await store.change(this.id, (found) =>
        found.leaseOwner === this.owner ? states.release(found, untilMs) : null,
      );
      return left !== null;
    } catch (err) {
      log.warn({ batchId: this.id, err }, "a batch is left until its lease is over");
      return true;
    }
  }
}

const DEADLY: BatchFault = {
  code: "server_error",
  message: "The processes that carried out the batch ended again and again.",
  param: null,
  line: null,
};
const GONE: BatchFault = {
  code: "input_file_gone",
  message:
    "The file of the batch is gone: it was deleted, its time was over, or it lies in the folder of another server.",
  param: "input_file_id",
  line: null,
};
