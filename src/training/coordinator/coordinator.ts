import type { Clock } from "../../lib/clock.ts";
import type { ModelFile } from "../model-file.ts";
import { type ModelValues, modelPieces, readModel } from "../model-values.ts";
import { epsilonOf } from "../privacy/accountant.ts";
import { SecureJournal } from "../secure/secure-journal.ts";
import type { SecurePlan } from "../secure/secure-plan.ts";
import { SecureRound, type Summed } from "../secure/secure-round.ts";
import { SeededRandom } from "../seeded-random.ts";
import { applyStrategy } from "../strategies/apply-strategy.ts";
import { createStrategy, type StrategySpec, strategyOf } from "../strategies/strategies.ts";
import { Aggregators } from "../threads/aggregators.ts";
import { admit } from "./admit.ts";
import { type Admitted, aggregate, type Weighed, weigh } from "./aggregation.ts";
import { askAll } from "./ask-all.ts";
import type { Send } from "./participant-client.ts";
import { Participants } from "./participants.ts";
import type { Plan } from "./plan.ts";
import type { RoundRecord, RunFolder, StoredReply } from "./run-folder.ts";

/**
 * Below this cosine updates point apart, and rules that drop what is unusual drop what is right. Only the first rounds tell:
 * later, when little is left to learn, the updates of equal data point anywhere too.
 */
const APART = 0.3;
const TELLING_ROUNDS = 3;

export interface RunOutcome {
  readonly rounds: readonly RoundRecord[];
  readonly model: Uint8Array | null;
  /** Why it stopped before its last round; null when it did not. */
  readonly paused: string | null;
}

export interface CoordinatorParts {
  readonly plan: Plan;
  readonly folder: RunFolder;
  readonly clock: Clock;
  readonly tokens: Readonly<Record<string, string | undefined>>;
  readonly initial: Uint8Array | null;
  readonly tell: (record: RoundRecord) => void;
  /** What participants are told that the run is called; made of the plan unless told. */
  readonly runId?: string;
  /** How calls leave; `fetch` unless told. */
  readonly send?: Send;
}

/** Runs the rounds of a plan, from wherever the folder says that it was. */
export class Coordinator {
  private readonly participants: Participants;
  private readonly dropped: Array<{ participant: string; reason: string }> = [];
  private readonly threads = new Aggregators();

  constructor(private readonly parts: CoordinatorParts) {
    const { plan, folder, tokens, send } = parts;
    const claimed = folder.claim(plan);
    this.participants = new Participants({ plan, folder, tokens, send, runId: parts.runId ?? claimed });
  }

  async run(): Promise<RunOutcome> {
    const { plan, folder, initial, tell } = this.parts;
    const rounds = folder.rounds();
    let model = rounds.at(-1)?.modelOut ?? (initial === null ? null : folder.saveModel([initial]));
    let paused: string | null = null;
    try {
      while (rounds.length < plan.rounds && !this.isEnough(rounds)) {
        const done = await this.runRound(rounds.length + 1, model, rounds);
        if (typeof done === "string") {
          paused = done;
          break;
        }
        folder.commit(done.record, done.considered);
        rounds.push(done.record);
        model = done.record.modelOut;
        tell(done.record);
      }
    } finally {
      this.threads.close();
    }
    return { rounds, model: model === null ? null : folder.loadModel(model), paused };
  }

  private isEnough(rounds: readonly RoundRecord[]): boolean {
    const { stopAt } = this.parts.plan;
    const accuracy = rounds.at(-1)?.accuracy ?? null;
    return stopAt !== null && accuracy !== null && accuracy >= stopAt;
  }

  /** The record of the round, not yet written; or why it cannot be had. */
  private async runRound(round: number, model: string | null, before: readonly RoundRecord[]) {
    const { plan, folder } = this.parts;
    const global = model === null ? null : folder.openModel(model, null);
    const spec = this.strategyFor(round, global === null);
    this.dropped.length = 0;
    if (plan.secure !== undefined && model !== null) {
      const record = await this.runSecureRound(plan.secure, round, model, before);
      return typeof record === "string" ? record : { record, considered: [] };
    }
    for (let attempt = 0; attempt <= plan.retries; attempt++) {
      await this.collect(round, attempt, model);
      const considered = folder.replies(round);
      const weighed = await weigh(this.threads, this.admitAll(considered, global), spec);
      this.dropped.push(...weighed.refused);
      if (weighed.updates.length < plan.quorum) continue;
      return { record: await this.finish(round, model, global, weighed, spec, before), considered };
    }
    const reasons = this.dropped.map(({ participant, reason }) => `${participant}: ${reason}`).join("; ");
    return `round ${round} did not reach its quorum of ${plan.quorum} (${reasons})`;
  }

  /** As a round, with nothing seen of the updates but their sum. */
  private async runSecureRound(
    secure: SecurePlan,
    round: number,
    modelIn: string,
    before: readonly RoundRecord[],
  ): Promise<RoundRecord | string> {
    const { plan, folder } = this.parts;
    const model = folder.loadModel(modelIn);
    const base = readModel(model);
    const journal = new SecureJournal(folder);
    const limits = new Map(
      plan.participants.map((one) => [one.id, one.maxExamples === undefined ? null : Math.floor(one.maxExamples)]),
    );
    const { run_id: runId, round: _, ...meta } = this.participants.metaOf(round, plan.dataset);
    let why = "";
    for (let attempt = 0; attempt <= plan.retries; attempt++) {
      const chosen = this.choose(round, attempt).map(({ id }) => id);
      const outcome = await new SecureRound({
        ...plan,
        secure,
        journal,
        folder,
        client: (id) => this.participants.client(id),
        limitOf: (id) => limits.get(id) ?? null,
        runId: journal.nameOf(runId),
        round,
        model,
        length: base.values.length,
        meta,
      }).run(chosen);
      if ("meanAt" in outcome) return this.finishSecure(round, modelIn, base, outcome, before);
      why = `${outcome.why}: ${outcome.dropped.map((one) => `${one.participant} (${one.phase}): ${one.reason}`).join("; ")}`;
    }
    return `round ${round} did not reach its secure sum (${why})`;
  }

  private async finishSecure(
    round: number,
    modelIn: string,
    base: ModelValues,
    { attempt, threshold, participants, meanAt, weight, survivors, dropped }: Summed,
    before: readonly RoundRecord[],
  ): Promise<RoundRecord> {
    const { plan, folder, clock } = this.parts;
    const strategy = createStrategy(plan.strategy);
    const values = base.values.map((value, at) => value + meanAt(at));
    const updates = [{ participantId: "the sum", weight: 1, values }];
    const state = folder.loadState(before.at(-1)?.stateOut ?? {});
    const outcome = applyStrategy(strategy, base.values, updates, state);
    const modelOut = folder.saveModel(modelPieces({ values: outcome.values, layout: base.layout }));
    const evaluation = await this.evaluateWhenDue(round, modelOut);
    return {
      round,
      at: new Date(clock.nowMs()).toISOString(),
      strategy: strategy.name,
      modelIn,
      modelOut,
      stateOut: folder.saveState(outcome.state),
      replies: survivors.map((one) => ({ ...one, numExamples: null, norm: null, counted: true })),
      dropped,
      accuracy: evaluation?.accuracy ?? null,
      loss: evaluation?.loss ?? null,
      cosine: null,
      warning: null,
      epsilon: null,
      secure: { attempt, threshold, asked: participants, weight },
    };
  }

  private choose(round: number, attempt: number) {
    const { plan } = this.parts;
    return new SeededRandom(plan.seed, "sample", round, attempt).sample(plan.participants, plan.sample);
  }

  private async evaluateWhenDue(round: number, model: string) {
    const { plan } = this.parts;
    const due = round % plan.evaluation.every === 0 || round === plan.rounds;
    return due ? this.participants.evaluate(round, model) : null;
  }

  /** Asks those who have not answered yet. With every new try others may be asked. */
  private async collect(round: number, attempt: number, model: string | null): Promise<void> {
    const { plan, folder } = this.parts;
    const chosen = this.choose(round, attempt);
    const here = new Set(folder.replies(round).map(({ participant }) => participant));
    const missing = chosen.map(({ id }) => id).filter((id) => !here.has(id));
    if (missing.length === 0) return;
    const train = this.participants.training(round, model);
    const { failures } = await askAll(missing, plan, async (id, signal) => {
      const { spooled, numExamples } = await train(id, signal);
      folder.keepReply(round, { participant: id, numExamples: numExamples ?? 1, startedFrom: model }, spooled);
    });
    for (const { id, reason } of failures) this.dropped.push({ participant: id, reason });
  }

  private admitAll(replies: readonly StoredReply[], global: ModelFile | null): Admitted[] {
    const admitted: Admitted[] = [];
    for (const reply of replies) {
      const model = admit(reply, global?.layout ?? admitted[0]?.model.layout ?? null, null);
      if ("refused" in model) this.dropped.push({ participant: reply.participant, reason: model.refused });
      else {
        const base = global?.numbers ?? null;
        admitted.push({ reply, model, base, weight: this.weightOf(reply), staleness: 0 });
      }
    }
    return admitted;
  }

  private weightOf({ participant, numExamples }: StoredReply): number {
    const { maxExamples, participants } = this.parts.plan;
    const own = participants.find(({ id }) => id === participant)?.maxExamples;
    return Math.min(numExamples, maxExamples ?? Number.POSITIVE_INFINITY, own ?? Number.POSITIVE_INFINITY);
  }

  private async finish(
    round: number,
    modelIn: string | null,
    global: ModelFile | null,
    weighed: Weighed,
    spec: StrategySpec,
    before: readonly RoundRecord[],
  ): Promise<RoundRecord> {
    const { plan, folder, clock } = this.parts;
    const clip = global === null ? null : plan.clip;
    const state = before.at(-1)?.stateOut ?? {};
    const aggregated = await aggregate(this.threads, folder, weighed, { spec, clip, global, state });
    const evaluation = await this.evaluateWhenDue(round, aggregated.modelOut);
    const cosines = [...before.map((one) => one.cosine ?? 1), aggregated.cosine ?? 1];
    return {
      round,
      at: new Date(clock.nowMs()).toISOString(),
      modelIn,
      ...aggregated,
      dropped: [...this.dropped],
      accuracy: evaluation?.accuracy ?? null,
      loss: evaluation?.loss ?? null,
      warning: strategyOf(spec).robust ? warningOf(aggregated.strategy, cosines) : null,
      epsilon: this.epsilonAfter(round),
    };
  }

  /** Without a model to start from there are no changes yet, so the first models are averaged as they are. */
  private strategyFor(round: number, fresh: boolean): StrategySpec {
    const { plan } = this.parts;
    if (fresh && !createStrategy(plan.strategy).robust) return { name: "fedavg" };
    if (plan.noise === null || plan.clip === null || fresh) return plan.strategy;
    const { multiplier } = plan.noise;
    return { name: "dp", clip: plan.clip, multiplier, words: [plan.seed, "noise", round] };
  }

  private epsilonAfter(rounds: number): number | null {
    const { noise, sample, participants } = this.parts.plan;
    if (noise === null) return null;
    return epsilonOf({ rate: sample / participants.length, multiplier: noise.multiplier, rounds, delta: noise.delta });
  }
}

function warningOf(strategy: string, cosines: readonly number[]): string | null {
  const telling = cosines.slice(0, TELLING_ROUNDS);
  const mean = telling.reduce((sum, cosine) => sum + cosine, 0) / telling.length;
  if (mean >= APART) return null;
  return `updates point apart (cosine ${mean.toFixed(2)} in the first rounds): ${strategy} drops what is only different`;
}
