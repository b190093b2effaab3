import type { ChatChunk, ChatRequest } from "../contract/chat.ts";
import { isDatabaseAway } from "../contract/database-away.ts";
import { GatewayError } from "../contract/errors.ts";
import type { LeasedTask, StopReason } from "../lib/leased-task-runner.ts";
import { retryUntil } from "../lib/retry-until.ts";
import { closeSteps, removeUnfinishedTurn } from "./close-steps.ts";
import type { ExecutionDeps } from "./execution-deps.ts";
import { buildPrompt } from "./prompt.ts";
import type { RunEvent, RunWatch } from "./run-events.ts";
import { faultOf } from "./run-fault.ts";
import type { Run, RunUsage } from "./run-records.ts";
import * as states from "./run-states.ts";
import type { AssistantStores } from "./store.ts";
import { type Closing, Turn, type TurnHost } from "./turn.ts";

const NOTHING: RunUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0, costNano: 0 };

/** A model that calls tools again and again is stopped. */
const TURNS_MAX = 32;

/** One run, from being taken up to its end or to the moment when it waits for its caller. */
export class Execution implements TurnHost, LeasedTask {
  readonly id: string;
  readonly expiresAt: number;
  readonly ended: Promise<void>;
  private readonly done = Promise.withResolvers<void>();
  private readonly aborter = new AbortController();
  private halted: StopReason | null = null;
  private taken = false;
  private turn: Turn | null = null;
  private spent: RunUsage = NOTHING;

  constructor(
    readonly deps: ExecutionDeps,
    readonly owner: string,
    private readonly given: Run,
    private readonly watch: RunWatch | null,
  ) {
    this.id = given.id;
    this.expiresAt = given.expiresAt;
    this.ended = this.done.promise;
  }

  get isTaken(): boolean {
    return this.taken;
  }

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  halt(reason: StopReason): void {
    this.halted ??= reason;
    this.aborter.abort();
  }

  emit(event: RunEvent): void {
    this.watch?.push(event);
  }

  spend(cost: bigint, { promptTokens, completionTokens } = NOTHING): void {
    const costNano = Number(cost);
    const totalTokens = promptTokens + completionTokens;
    this.spent = states.addUsage(this.spent, { promptTokens, completionTokens, totalTokens, costNano });
  }

  takeSpent(): RunUsage {
    const { spent } = this;
    this.spent = NOTHING;
    return spent;
  }

  /** Never throws: whatever happens is told in the run. */
  async carryOut(): Promise<void> {
    try {
      const run = await this.claim();
      if (run?.status === "in_progress") await this.work(run);
      else if (!run) this.emit({ kind: "error", thrown: gone() });
    } catch (thrown) {
      await this.endBadly(thrown).catch((err) => this.lostIt(err));
    } finally {
      this.done.resolve();
    }
  }

  async write<T>(run: Run, work: (tx: AssistantStores) => Promise<T>): Promise<T> {
    return this.whenBack(() =>
      this.deps.stores.transaction(async (tx) => {
        if (!(await tx.runs.isHeldBy(this.owner, run))) {
          this.halt("lost");
          throw new Error("the run is carried out elsewhere");
        }
        return work(tx);
      }),
    );
  }

  whenBack<T>(work: () => Promise<T>): Promise<T> {
    return retryUntil(work, isDatabaseAway, this.signal);
  }

  private async claim(): Promise<Run | null> {
    const { stores, clock } = this.deps;
    const taker = { owner: this.owner, now: clock.nowMs() };
    const run = await stores.transaction(async (tx) => {
      const taken = await tx.runs.change(
        this.id,
        (found) => states.claim(found, taker) ?? states.endUnbegun(found, taker),
      );
      if (taken?.status === "in_progress" && taken.attempts > this.given.attempts)
        await removeUnfinishedTurn(tx, taken);
      if (taken && !states.isActive(taken.status)) await closeSteps(tx, taken, taker.now, null);
      return taken;
    });
    this.taken = run !== null;
    if (run) this.emit({ kind: "run", name: run.status, run });
    return run;
  }

  /** One turn of the model after the other. */
  private async work(begun: Run): Promise<void> {
    let run = begun;
    for (let turns = 0; turns < TURNS_MAX; turns++) {
      if (this.halted) throw this.signal.reason;
      const { maxCompletionTokens } = run.settings;
      if (maxCompletionTokens !== null && run.progress.used.completionTokens >= maxCompletionTokens) {
        return this.finish(run, (found) => states.leaveIncomplete(found, "max_completion_tokens"));
      }
      const asked = run;
      const request = await this.whenBack(() => buildPrompt(this.deps, asked));
      if (request === null) return this.finish(run, (found) => states.leaveIncomplete(found, "max_prompt_tokens"));
      this.turn = new Turn(this, run);
      const outcome = await this.turn.take(await this.ask(run, request));
      run = outcome.run;
      if (outcome.next === "waits") return this.emit({ kind: "run", name: run.status, run });
      if (outcome.next === "over") return this.finish(run, outcome.end, outcome.last);
      this.turn = null;
    }
    throw new GatewayError("invalid_request", `The model called tools more than ${TURNS_MAX} times in one run.`);
  }

  private ask(run: Run, request: ChatRequest): Promise<AsyncIterable<ChatChunk>> {
    return this.deps.ask(run, request, this.signal, (cost, { promptTokens, completionTokens }) =>
      this.spend(cost, { ...NOTHING, promptTokens, completionTokens }),
    );
  }

  /** The end of a run, with what is still open. A run that is being cancelled ends as that, whatever it came to. */
  private async finish(run: Run, decide: (run: Run) => Run | null, last: Closing | null = null): Promise<void> {
    const now = this.deps.clock.nowMs();
    // Of a turn that did not come to its end, what was charged for.
    const spent = this.takeSpent();
    const { ended, closed } = await this.write(run, async (tx) => {
      const ended = await tx.runs.change(run.id, (found) => {
        const over = decide(found) ?? states.endCancelled(found, now);
        return over && states.addUsed(over, spent);
      });
      if (!ended) throw new Error("the run is at its end already");
      // With the run, or a process that ends between the two would have it said twice.
      await last?.write(tx);
      return { ended, closed: await closeSteps(tx, ended, now, this.turn?.said ?? null) };
    });
    last?.tell();
    for (const message of closed.messages) this.emit({ kind: "message", name: message.status, message });
    for (const step of closed.steps) this.emit({ kind: "step", name: step.status, step });
    this.emit({ kind: "run", name: ended.status, run: ended });
  }

  private async endBadly(thrown: unknown): Promise<void> {
    const { stores, clock, log } = this.deps;
    const now = clock.nowMs();
    const run = await stores.runs.find(this.given.threadId, this.id);
    if (!run || this.halted === "lost" || run.leaseOwner !== this.owner) {
      return this.emit({ kind: "error", thrown: gone() });
    }
    // Somebody else goes on. That the database was away is no fault of the run.
    if (this.halted === "left" || isDatabaseAway(thrown)) {
      await stores.runs.change(this.id, (found) =>
        found.leaseOwner === this.owner ? { ...found, leaseUntil: 0 } : null,
      );
      if (this.halted !== "left") this.lostIt(thrown);
      return;
    }
    if (this.halted === "expired") return this.finish(run, (found) => states.expire(found, now));
    if (run.status === "cancelling") this.emit({ kind: "run", name: "cancelling", run });
    if (this.halted === "cancelled") return this.finish(run, (found) => states.endCancelled(found, now));
    if (!(thrown instanceof GatewayError)) log.error({ runId: this.id, err: thrown }, "a run failed");
    return this.finish(run, (found) => states.fail(found, faultOf(thrown), now));
  }

  /** The database was away for too long, or the thread was deleted under the run. What is left is taken up when the lease is over. */
  private lostIt(err: unknown): void {
    if (this.halted !== "lost") this.deps.log.warn({ runId: this.id, err }, "a run could not be brought to its end");
    this.emit({ kind: "error", thrown: err });
  }
}

/** For whoever watches: nothing more will be heard of the run here. */
const gone = (): GatewayError => new GatewayError("not_found", "The run is gone, or it is carried out elsewhere.");
