import type { Clock } from "../../lib/clock.ts";
import type { ModelFile } from "../model-file.ts";
import { differenceOf, type Layout } from "../model-values.ts";
import { OUTLIER_FACTOR } from "../outliers.ts";
import { epsilonOf } from "../privacy/accountant.ts";
import { deriveKey } from "../privacy/secret-random.ts";
import { createStrategy, type StrategySpec, strategyOf } from "../strategies/strategies.ts";
import { Aggregators } from "../threads/aggregators.ts";
import { admit } from "./admit.ts";
import { type Admitted, aggregate, validateUpdates, type Weighed } from "./aggregation.ts";
import { inOneLine } from "./in-one-line.ts";
import { type Evaluated, EXAMPLES_MAX, type Participants } from "./participants.ts";
import type { Plan } from "./plan.ts";
import { askedInRemoved, stateAfter } from "./rollback.ts";
import type { RoundRecord, RunFolder, StoredReply } from "./run-folder.ts";

/**
 * Below this cosine updates point apart, and rules that drop what is unusual drop what is right. Only the first rounds tell:
 * later, when little is left to learn, the updates of equal data point anywhere too.
 */
const APART = 0.3;
const TELLING_ROUNDS = 3;

interface MakerParts {
  readonly plan: Plan;
  readonly folder: RunFolder;
  readonly clock: Clock;
  readonly participants: Participants;
  /** The shape of bare floats; null where formats tell it. */
  readonly shape: readonly number[] | null;
}

/** A round that is about to be made: from which model, after which rounds. */
export interface Making {
  readonly round: number;
  readonly modelIn: string | null;
  readonly global: ModelFile | null;
  readonly before: readonly RoundRecord[];
}

/** Makes the record of a round from the answers that lie on disk. */
export class RoundMaker {
  /** Why answers of this round do not count. */
  readonly dropped: Array<{ participant: string; reason: string }> = [];
  private readonly threads = new Aggregators();

  constructor(private readonly parts: MakerParts) {}

  begin(round: number, modelIn: string | null, before: readonly RoundRecord[]): Making {
    this.dropped.length = 0;
    return { round, modelIn, global: modelIn === null ? null : this.open(modelIn), before };
  }

  /** Looks at answers; those that cannot count are dropped with the reason. */
  async validateUpdates(making: Making, replies: readonly StoredReply[]): Promise<Weighed> {
    const looked: Admitted[] = [];
    for (const reply of replies) {
      const one = this.admit(making, reply);
      if (typeof one === "string") this.dropped.push({ participant: reply.participant, reason: inOneLine(one) });
      else looked.push(one);
    }
    const { alike, others } = byLayout(looked);
    this.dropped.push(...others);
    const counting = createStrategy(this.parts.plan.strategy).robust ? this.newestOf(alike) : alike;
    const { clip, outlierFactor = OUTLIER_FACTOR } = this.parts.plan;
    const bounds = { spec: this.strategyFor(making, counting), clip, outlierFactor };
    const weighed = await validateUpdates(this.threads, counting, bounds);
    this.dropped.push(...weighed.refused, ...weighed.outliers);
    return weighed;
  }

  async finish(making: Making, weighed: Weighed): Promise<RoundRecord> {
    const { plan, folder, clock } = this.parts;
    const { round, modelIn, global, before } = making;
    const spec = this.strategyFor(making, weighed.updates);
    const clip = global === null ? null : plan.clip;
    const state = stateAfter(folder, before);
    const aggregated = await aggregate(this.threads, folder, weighed, { spec, clip, global, state });
    const evaluated = await this.evaluateWhenDue(round, aggregated.modelOut);
    const cosines = [...before.map((one) => one.cosine ?? 1), aggregated.cosine ?? 1];
    return {
      round,
      at: new Date(clock.nowMs()).toISOString(),
      modelIn,
      ...aggregated,
      dropped: [...this.dropped],
      ...evaluated,
      warning: strategyOf(spec).robust ? warningOf(aggregated.strategy, cosines) : outlierWarning(weighed.outliers),
      epsilon: this.epsilonAfter([...before, { ...aggregated, dropped: this.dropped }]),
    };
  }

  async evaluateWhenDue(round: number, model: string): Promise<Evaluated> {
    const { plan, participants } = this.parts;
    const due = round % plan.evaluation.every === 0 || round === plan.rounds;
    return due ? participants.evaluate(round, model) : { accuracy: null, loss: null };
  }

  close(): void {
    this.threads.close();
  }

  private open(hash: string): ModelFile {
    return this.parts.folder.openModel(hash, this.parts.shape);
  }

  private admit({ round, modelIn, global }: Making, reply: StoredReply): Admitted | string {
    const { plan, shape } = this.parts;
    const staleness = round - reply.round;
    if (staleness > (plan.stalenessLimit ?? 0)) return `it began ${staleness} models ago`;
    if (reply.startedFrom === null && global !== null) return "it began from nothing";
    const isFresh = reply.startedFrom === modelIn || reply.startedFrom === null;
    const base = isFresh ? global : this.open(reply.startedFrom as string);
    const model = admit(reply, { base, layout: global?.layout ?? null, shape });
    if ("refused" in model) return model.refused;
    const weight = this.weightOf(reply) / Math.sqrt(1 + staleness);
    return { reply, model, base: base?.numbers ?? null, weight, staleness };
  }

  /** Whoever comes late and in time would be two of those of whom a robust rule bears only so many. */
  private newestOf(admitted: readonly Admitted[]): Admitted[] {
    const byAge = admitted.toSorted((a, b) => a.staleness - b.staleness);
    const newest = new Map(byAge.toReversed().map((one) => [one.reply.participant, one]));
    return admitted.filter((one) => {
      const { participant } = one.reply;
      const isNewest = newest.get(participant) === one;
      if (!isNewest) this.dropped.push({ participant, reason: "it has given a newer answer" });
      return isNewest;
    });
  }

  private weightOf({ participant, numExamples }: StoredReply): number {
    const { maxExamples, participants } = this.parts.plan;
    const own = participants.find(({ id }) => id === participant)?.maxExamples;
    return Math.min(numExamples, maxExamples ?? EXAMPLES_MAX, own ?? EXAMPLES_MAX, EXAMPLES_MAX);
  }

  /** Without a model to start from there are no changes yet, so the first models are averaged as they are. */
  private strategyFor({ round, global }: Making, updates: readonly Admitted[]): StrategySpec {
    const { plan, folder } = this.parts;
    const isFirst = global === null;
    if (isFirst && !createStrategy(plan.strategy).robust) return { name: "fedavg" };
    if (plan.noise === null || plan.clip === null || isFirst) return plan.strategy;
    const { multiplier } = plan.noise;
    // The same noise on the sum of others would give away the difference of the two sums.
    const hashes = updates.map(({ reply: { participant, sha256 } }) => `${participant} ${sha256}`);
    return { name: "dp", clip: plan.clip, multiplier, secret: deriveKey(folder.secret(), "noise", round, ...hashes) };
  }

  /** Where others were asked in the place of those who failed, more took part than the plan says. */
  private epsilonAfter(rounds: ReadonlyArray<Pick<RoundRecord, "replies" | "dropped">>): number | null {
    const { noise, sample, participants } = this.parts.plan;
    if (noise === null) return null;
    const asked = rounds.map(({ replies, dropped }) => replies.length + dropped.length);
    const rates = [...askedInRemoved(this.parts.folder), ...asked].map((count) =>
      Math.min(1, Math.max(sample, count) / participants.length),
    );
    return epsilonOf({ rates, ...noise });
  }
}

/** Where there was no model to begin with, most say what it looks like; of as many, the first. */
function byLayout(looked: readonly Admitted[]): { alike: Admitted[]; others: RoundMaker["dropped"] } {
  const groups = Map.groupBy(looked, ({ model }) => keyOf(model.layout));
  const alike = [...groups.values()].reduce((most, group) => (group.length > most.length ? group : most), []);
  const [first] = alike;
  const others = looked.flatMap((one) => {
    const difference = first === undefined ? null : differenceOf(first.model.layout, one.model.layout);
    return difference === null ? [] : [{ participant: one.reply.participant, reason: inOneLine(difference) }];
  });
  return { alike, others };
}

const keyOf = ({ tensors }: Layout): string =>
  JSON.stringify(tensors.map(({ name, tensor: { dtype, shape } }) => [name, dtype, shape]));

const outlierWarning = (outliers: Weighed["outliers"]): string | null =>
  outliers.length === 0
    ? null
    : `left out ${outliers.map(({ participant, reason }) => `${participant}: ${reason}`).join("; ")}`;

function warningOf(strategy: string, cosines: readonly number[]): string | null {
  const telling = cosines.slice(0, TELLING_ROUNDS);
  const mean = telling.reduce((sum, cosine) => sum + cosine, 0) / telling.length;
  if (mean >= APART) return null;
  return `updates point apart (cosine ${mean.toFixed(2)} in the first rounds): ${strategy} drops what is only different`;
}
