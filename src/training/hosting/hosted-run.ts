import { isDatabaseAway } from "../../contract/database-away.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { sleep } from "../../lib/sleep.ts";
import type { RoundRecord } from "../coordinator/run-folder.ts";
import { changeRun, keepRound } from "../note-run.ts";
import type { TrainingParticipant, TrainingRun } from "../records.ts";
import { addRound, complete, drop, LEASE_MS, release, stall } from "../run-states.ts";
import type { TrainingStores } from "../store.ts";
import type { RunProcess, Spawn, ToHost } from "./job.ts";
import type { RunFiles } from "./run-files.ts";

export interface HostingDeps {
  readonly stores: TrainingStores;
  readonly files: RunFiles;
  readonly clock: Clock;
  readonly log: Logger;
  readonly spawn: Spawn;
  readonly tokenOf: (participant: TrainingParticipant) => string | null;
  readonly allowPrivate: boolean;
  readonly keepFreeMb: number;
  /** Something has happened in a run. */
  readonly happened: (runId: string) => void;
}

const AGAIN_MS = 500;
/**
 * So often in a row a process may leave unanswered that it holds the run: some five minutes, far more than it takes to write the
 * largest model. They are counted, and no clock is asked: a machine may sleep.
 */
const UNANSWERED_MAX = 300;

/** One run while this process holds it: its process, and what that tells, in order, into the database. */
export class HostedRun {
  readonly ended: Promise<void>;
  private process: RunProcess | null = null;
  private halted = false;
  private told: Promise<void> = Promise.resolve();
  private outcome: Exclude<ToHost, { kind: "round" | "here" }> | null = null;
  private unanswered = 0;

  constructor(
    private readonly deps: HostingDeps,
    private readonly owner: string,
    readonly run: TrainingRun,
  ) {
    this.ended = this.carryOut();
  }

  /** A process that is stuck would keep its run for ever; it is ended, which counts as a breakdown. */
  held(): void {
    if (this.process === null) return;
    this.unanswered++;
    if (this.unanswered <= UNANSWERED_MAX || this.outcome !== null) this.process.held();
    else {
      this.outcome = { kind: "failed", reason: "the process that carries it out did not answer any more" };
      this.process.kill();
    }
  }

  /** Ends its process at once; a run bears that at any instant. */
  halt(): void {
    this.halted = true;
    this.process?.kill();
  }

  private async carryOut(): Promise<void> {
    const { log } = this.deps;
    try {
      await this.host().catch((thrown) => this.fail(thrown, "it could not be started"));
      await this.close();
    } catch (thrown) {
      // What could not be written now is found by whoever takes the run up when its lease is over.
      log.warn({ err: thrown, runId: this.run.id }, "a training run is left for a while");
    }
    this.deps.happened(this.run.id);
  }

  private async host(): Promise<void> {
    const { stores, spawn, files, tokenOf, allowPrivate, keepFreeMb } = this.deps;
    const { id: runId, plan, organizationId, initialHash, roundsDone } = this.run;
    const names = plan.participants.map(({ id }) => id);
    const registered = await stores.participants.listNamed(organizationId, names);
    if (this.halted) return;
    const participants = registered.map((one) => ({ name: one.name, url: one.url, token: tokenOf(one) }));
    const folder = files.pathOf(runId);
    const hasInitial = initialHash !== null;
    const job = {
      ...{ runId, folder, plan, hasInitial, roundsDone, participants },
      ...{ allowPrivate, keepFreeMb, leaseMs: LEASE_MS },
    };
    this.process = spawn(job, (message) => this.hear(message));
    const code = await this.process.exited;
    await this.told;
    this.outcome ??= { kind: "failed", reason: `the process that carries it out ended with ${code ?? "a signal"}` };
  }

  private hear(message: ToHost): void {
    if (message.kind === "here") this.unanswered = 0;
    else if (message.kind === "round") this.told = this.told.then(() => this.keep(message.record));
    else {
      this.outcome = message;
      void this.told.finally(() => this.process?.kill());
    }
  }

  /** A database that is away is waited for, as long as the run's process does. */
  private async keep(record: RoundRecord): Promise<void> {
    const { stores, clock, happened } = this.deps;
    while (!this.halted) {
      try {
        const now = clock.nowMs();
        const kept = await keepRound(stores, this.run.id, record, now, (run) => addRound(run, this.owner, record, now));
        if (kept === null) this.halt();
        happened(this.run.id);
        return;
      } catch (thrown) {
        if (!isDatabaseAway(thrown)) return this.fail(thrown, "a round could not be kept");
        await sleep(AGAIN_MS);
      }
    }
  }

  private fail(thrown: unknown, reason: string): void {
    this.deps.log.error({ err: thrown, runId: this.run.id }, `a training run: ${reason}`);
    this.outcome = { kind: "failed", reason };
    this.process?.kill();
  }

  private async close(): Promise<void> {
    const { stores, clock, log } = this.deps;
    const { id } = this.run;
    const now = clock.nowMs();
    const { owner, outcome } = this;
    if (this.halted || outcome === null) {
      await stores.runs.change(id, (run) => release(run, owner));
      return;
    }
    if (outcome.kind === "failed") log.warn({ runId: id, reason: outcome.reason }, "a training run broke down");
    await changeRun(
      stores,
      id,
      outcome.kind === "end" && outcome.paused === null ? "complete" : "pause",
      null,
      (run) => {
        if (outcome.kind === "failed") return drop(run, owner, outcome.reason, now);
        const next = outcome.paused === null ? complete(run, owner, now) : stall(run, owner, outcome.paused, now);
        // Somebody has paused or cancelled it meanwhile.
        return next ?? release(run, owner);
      },
    );
  }
}
