import type { Clock } from "../../lib/clock.ts";
import type { Layout, ModelValues } from "../model-values.ts";
import { readModel, writeModel } from "../model-values.ts";
import { epsilonOf } from "../privacy/accountant.ts";
import { clipUpdate } from "../privacy/clip.ts";
import { privateMean } from "../privacy/noise.ts";
import { SecureJournal } from "../secure/secure-journal.ts";
import type { SecurePlan } from "../secure/secure-plan.ts";
import { SecureRound, type Summed } from "../secure/secure-round.ts";
import { SeededRandom } from "../seeded-random.ts";
import { createStrategy } from "../strategies/strategies.ts";
import { applyStrategy, type Strategy, type Update } from "../strategies/strategy.ts";
import { difference, medianCosine, normOf } from "../vectors.ts";
import { admit } from "./admit.ts";
import { askAll } from "./ask-all.ts";
import { type CallMeta, ParticipantClient, type Send } from "./participant-client.ts";
import type { Plan } from "./plan.ts";
import { hashOf, type RoundRecord, type RunFolder, type StoredReply } from "./run-folder.ts";

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

interface Admitted extends Update {
  readonly sha256: string;
  readonly bytes: number;
}

/** Runs the rounds of a plan, from wherever the folder says that it was. */
export class Coordinator {
  private readonly clients: ReadonlyMap<string, ParticipantClient>;
  private readonly runId: string;
  private readonly dropped: Array<{ participant: string; reason: string }> = [];

  constructor(private readonly parts: CoordinatorParts) {
    const { plan, folder, tokens, send } = parts;
    const claimed = folder.claim(plan);
    this.runId = parts.runId ?? claimed;
    this.clients = new Map(
      plan.participants.map((one) => {
        const token = one.tokenEnv === null ? null : (tokens[one.tokenEnv] ?? null);
        return [one.id, new ParticipantClient(one, token, send)];
      }),
    );
  }

  async run(): Promise<RunOutcome> {
    const { plan, folder, tell } = this.parts;
    const rounds = folder.rounds();
    let model = this.lastModel(rounds);
    while (rounds.length < plan.rounds && !this.isEnough(rounds)) {
      const record = await this.runRound(rounds.length + 1, model, rounds);
      if (typeof record === "string") return { rounds, model, paused: record };
      folder.commit(record);
      rounds.push(record);
      model = folder.loadModel(record.modelOut);
      tell(record);
    }
    return { rounds, model, paused: null };
  }

  private lastModel(rounds: readonly RoundRecord[]): Uint8Array | null {
    const last = rounds.at(-1);
    return last === undefined ? this.parts.initial : this.parts.folder.loadModel(last.modelOut);
  }

  private isEnough(rounds: readonly RoundRecord[]): boolean {
    const { stopAt } = this.parts.plan;
    const accuracy = rounds.at(-1)?.accuracy ?? null;
    return stopAt !== null && accuracy !== null && accuracy >= stopAt;
  }

  /** The record of the round, not yet written; or why it cannot be had. */
  private async runRound(
    round: number,
    model: Uint8Array | null,
    before: readonly RoundRecord[],
  ): Promise<RoundRecord | string> {
    const { plan, folder } = this.parts;
    const base = model === null ? null : readModel(model);
    this.dropped.length = 0;
    if (plan.secure !== undefined && model !== null && base !== null) {
      return this.runSecureRound(plan.secure, round, model, base, before);
    }
    for (let attempt = 0; attempt <= plan.retries; attempt++) {
      await this.collect(round, attempt, model);
      const { updates, layout } = this.admitAll(folder.replies(round), base);
      if (updates.length < plan.quorum || layout === null) continue;
      return this.finish(round, model, updates, layout, base, before);
    }
    const reasons = this.dropped.map(({ participant, reason }) => `${participant}: ${reason}`).join("; ");
    return `round ${round} did not reach its quorum of ${plan.quorum} (${reasons})`;
  }

  /** As a round, with nothing seen of the updates but their sum. */
  private async runSecureRound(
    secure: SecurePlan,
    round: number,
    model: Uint8Array,
    base: ModelValues,
    before: readonly RoundRecord[],
  ): Promise<RoundRecord | string> {
    const { plan, folder } = this.parts;
    const journal = new SecureJournal(folder);
    const limits = new Map(
      plan.participants.map((one) => [one.id, one.maxExamples === undefined ? null : Math.floor(one.maxExamples)]),
    );
    const { run_id: _, round: __, ...meta } = this.metaOf(round, plan.dataset);
    let why = "";
    for (let attempt = 0; attempt <= plan.retries; attempt++) {
      const chosen = this.choose(round, attempt).map(({ id }) => id);
      const outcome = await new SecureRound({
        ...plan,
        secure,
        journal,
        client: (id) => this.client(id),
        limitOf: (id) => limits.get(id) ?? null,
        runId: journal.nameOf(this.runId),
        round,
        model,
        length: base.values.length,
        meta,
      }).run(chosen);
      if ("mean" in outcome) return this.finishSecure(round, model, base, outcome, before);
      why = `${outcome.why}: ${outcome.dropped.map((one) => `${one.participant} (${one.phase}): ${one.reason}`).join("; ")}`;
    }
    return `round ${round} did not reach its secure sum (${why})`;
  }

  private async finishSecure(
    round: number,
    modelIn: Uint8Array,
    base: ModelValues,
    { attempt, threshold, participants, mean, weight, survivors, dropped }: Summed,
    before: readonly RoundRecord[],
  ): Promise<RoundRecord> {
    const { plan, folder, clock } = this.parts;
    const strategy = createStrategy(plan.strategy);
    const values = base.values.map((value, at) => value + (mean[at] as number));
    const updates = [{ participantId: "the sum", weight: 1, values }];
    const outcome = applyStrategy(strategy, base.values, updates, folder.loadState(before.at(-1)?.stateOut ?? {}));
    const bytes = writeModel({ values: outcome.values, layout: base.layout });
    const evaluation = await this.evaluateWhenDue(round, bytes);
    return {
      round,
      at: new Date(clock.nowMs()).toISOString(),
      strategy: strategy.name,
      modelIn: hashOf(modelIn),
      modelOut: folder.saveModel(bytes),
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

  /** Asks those who have not answered yet. With every new try others may be asked. */
  private async collect(round: number, attempt: number, model: Uint8Array | null): Promise<void> {
    const { plan, folder } = this.parts;
    const chosen = this.choose(round, attempt);
    const here = new Set(folder.replies(round).map(({ participant }) => participant));
    const missing = chosen.map(({ id }) => id).filter((id) => !here.has(id));
    const meta = this.metaOf(round, plan.dataset);
    const { failures } = await askAll(missing, plan, async (id, signal) => {
      const { bytes, numExamples } = await this.client(id).train(model, meta, signal);
      folder.keepReply(round, { participant: id, numExamples: numExamples ?? 1, bytes });
    });
    for (const { id, reason } of failures) this.dropped.push({ participant: id, reason });
  }

  private admitAll(replies: readonly StoredReply[], base: ModelValues | null) {
    const { maxExamples, participants } = this.parts.plan;
    const caps = new Map(participants.map((one) => [one.id, one.maxExamples ?? Number.POSITIVE_INFINITY]));
    const updates: Admitted[] = [];
    let layout: Layout | null = base?.layout ?? null;
    for (const { participant, numExamples, bytes } of replies) {
      const admitted = admit(bytes, layout);
      const refused = "refused" in admitted ? admitted.refused : numExamples > 0 ? null : "it has no examples";
      if (refused !== null || "refused" in admitted) {
        this.dropped.push({ participant, reason: refused ?? "" });
        continue;
      }
      layout ??= admitted.layout;
      const most = Math.min(maxExamples ?? Number.POSITIVE_INFINITY, caps.get(participant) ?? Number.POSITIVE_INFINITY);
      const weight = Math.min(numExamples, most);
      updates.push({
        participantId: participant,
        weight,
        values: admitted.values,
        sha256: hashOf(bytes),
        bytes: bytes.length,
      });
    }
    return { updates, layout };
  }

  private async finish(
    round: number,
    modelIn: Uint8Array | null,
    updates: readonly Admitted[],
    layout: Layout,
    base: ModelValues | null,
    before: readonly RoundRecord[],
  ): Promise<RoundRecord> {
    const { plan, folder, clock } = this.parts;
    const zero = new Float32Array(updates[0]?.values.length ?? 0);
    const global = base?.values ?? zero;
    const deltas = updates.map(({ values }) => difference(values, global));
    const strategy = this.strategyOf(round, base === null);
    const clip = base === null ? null : plan.clip;
    const counted =
      clip === null ? updates : updates.map((one) => ({ ...one, values: clipUpdate(one.values, global, clip) }));
    const outcome = applyStrategy(strategy, global, counted, folder.loadState(before.at(-1)?.stateOut ?? {}));
    const bytes = writeModel({ values: outcome.values, layout });
    const modelOut = folder.saveModel(bytes);
    const evaluation = await this.evaluateWhenDue(round, bytes);
    const cosine = medianCosine(deltas);
    return {
      round,
      at: new Date(clock.nowMs()).toISOString(),
      strategy: strategy.name,
      modelIn: modelIn === null ? null : hashOf(modelIn),
      modelOut,
      stateOut: folder.saveState(outcome.state),
      replies: updates.map(({ participantId, sha256, bytes: size, weight }, at) => ({
        participant: participantId,
        sha256,
        bytes: size,
        numExamples: weight,
        norm: normOf(deltas[at] ?? zero),
        counted: outcome.counted.includes(participantId),
      })),
      dropped: [...this.dropped],
      accuracy: evaluation?.accuracy ?? null,
      loss: evaluation?.loss ?? null,
      cosine,
      warning: strategy.robust ? warningOf(strategy.name, [...before.map((one) => one.cosine ?? 1), cosine]) : null,
      epsilon: this.epsilonAfter(round),
    };
  }

  /** Without a model to start from there are no changes yet, so the first models are averaged as they are. */
  private strategyOf(round: number, fresh: boolean): Strategy {
    const { plan } = this.parts;
    if (fresh && !createStrategy(plan.strategy).robust) return createStrategy({ name: "fedavg" });
    if (plan.noise === null || plan.clip === null || fresh) return createStrategy(plan.strategy);
    const random = new SeededRandom(plan.seed, "noise", round);
    return privateMean({ clip: plan.clip, multiplier: plan.noise.multiplier, random });
  }

  private epsilonAfter(rounds: number): number | null {
    const { noise, sample, participants } = this.parts.plan;
    if (noise === null) return null;
    return epsilonOf({ rate: sample / participants.length, multiplier: noise.multiplier, rounds, delta: noise.delta });
  }

  private async evaluateWhenDue(round: number, model: Uint8Array) {
    const { plan } = this.parts;
    if (round % plan.evaluation.every !== 0 && round !== plan.rounds) return null;
    const ids = plan.participants.slice(0, plan.evaluation.participants).map(({ id }) => id);
    const meta = this.metaOf(round, plan.evaluation.dataset);
    const { answers } = await askAll(ids, plan, (id, signal) => this.client(id).evaluate(model, meta, signal));
    if (answers.length === 0) return null;
    const total = answers.reduce((sum, { answer }) => sum + (answer.numExamples ?? 1), 0);
    const mean = (of: "accuracy" | "loss") =>
      answers.reduce((sum, { answer }) => sum + (answer[of] ?? 0) * (answer.numExamples ?? 1), 0) / total;
    return {
      accuracy: mean("accuracy"),
      loss: answers.every(({ answer }) => answer.loss !== null) ? mean("loss") : null,
    };
  }

  private metaOf(round: number, dataset: unknown): CallMeta {
    const { plan } = this.parts;
    return { run_id: this.runId, round, config: { ...plan.config, seed: plan.seed }, dataset };
  }

  private client(id: string): ParticipantClient {
    const client = this.clients.get(id);
    if (client === undefined) throw new RangeError(`there is no participant ${id}`);
    return client;
  }
}

function warningOf(strategy: string, cosines: readonly number[]): string | null {
  const telling = cosines.slice(0, TELLING_ROUNDS);
  const mean = telling.reduce((sum, cosine) => sum + cosine, 0) / telling.length;
  if (mean >= APART) return null;
  return `updates point apart (cosine ${mean.toFixed(2)} in the first rounds): ${strategy} drops what is only different`;
}
