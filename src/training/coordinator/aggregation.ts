import { statSync } from "node:fs";
import { lengthsOf } from "../aggregate/measure.ts";
import { medianCosine } from "../cosine.ts";
import type { ModelFile } from "../model-file.ts";
import { modelPieces } from "../model-values.ts";
import { findOutliers, outlierText } from "../outliers.ts";
import { clipFactors } from "../privacy/clip.ts";
import { type StrategySpec, strategyOf } from "../strategies/strategies.ts";
import type { Aggregators } from "../threads/aggregators.ts";
import type { Source } from "../threads/source.ts";
import type { Answered } from "./admit.ts";
import type { RoundRecord, RunFolder, StoredReply } from "./run-folder.ts";

/** Cosines are taken between so many updates at most; the work grows with the square. */
const COMPARED_MAX = 16;

/** An answer that may count. */
export interface Admitted {
  readonly reply: StoredReply;
  readonly model: Answered;
  /** The model that it began from; null where it began from nothing. */
  readonly base: Source | null;
  readonly weight: number;
  readonly staleness: number;
}

interface Refused {
  readonly participant: string;
  readonly reason: string;
}

/** The limits that an update has to keep to count. */
interface Bounds {
  readonly spec: StrategySpec;
  readonly clip: number | null;
  /** How many times the median of the others a length or an example count may be; null: any. */
  readonly outlierFactor: number | null;
}

/** Answers with what was measured of them, without those that are not finite. */
export interface Weighed {
  readonly updates: readonly Admitted[];
  readonly refused: readonly Refused[];
  /** Updates that were left out because they are far outside the range of the others. */
  readonly outliers: readonly Refused[];
  readonly products: ReadonlyArray<Float64Array>;
  readonly compared: readonly number[];
}

/**
 * No training changes a model by so much. Where changes are added up, or remembered, larger ones come to infinities, of which a
 * strategy never gets rid; squares of these, summed over all rounds of a run, still fit into 32 bits.
 */
const LENGTH_MAX = 1e15;

/** Looks at every number of the answers once, in all threads. */
export async function validateUpdates(
  threads: Aggregators,
  admitted: readonly Admitted[],
  bounds: Bounds,
): Promise<Weighed> {
  const { spec, clip } = bounds;
  const compared = comparedOf(admitted.length, strategyOf(spec).compares);
  const changes = admitted.map(({ model, base }) => ({ values: model.numbers, base }));
  const { products, notFinite } = await threads.measure({ changes, compared });
  const lengths = lengthsOf(products);
  const steps = strategyOf(spec).step !== null;
  const reasons = admitted.map(({ base, staleness }, at) => {
    const place = notFinite[at] ?? -1;
    if (place >= 0) return `number ${place} is not finite`;
    // Two finite numbers can be too far apart for 32 bits.
    const length = lengths[at] ?? 0;
    const isAdded = base !== null && (steps || staleness > 0);
    const isCountable = length <= Number.MAX_VALUE && (!isAdded || Math.min(length, clip ?? length) <= LENGTH_MAX);
    return isCountable ? null : "it changes the model by more than can be counted with";
  });
  const refused = admitted.flatMap(({ reply: { participant } }, at) => {
    const reason = reasons[at] ?? null;
    return reason === null ? [] : [{ participant, reason }];
  });
  if (refused.length > 0) {
    const good = admitted.filter((_, at) => reasons[at] === null);
    return { ...(await validateUpdates(threads, good, bounds)), refused };
  }
  const { inRange, outliers } = withoutOutliers(admitted, lengths, bounds);
  if (outliers.length === 0) return { updates: admitted, refused, outliers, products, compared };
  // The rest is measured again, with other pairs, and has no further outliers: one pass finds all.
  return { ...(await validateUpdates(threads, inRange, { ...bounds, outlierFactor: null })), outliers };
}

/** Robust rules bear outliers by themselves and need their number of updates; with noise all updates count alike. */
function withoutOutliers(
  admitted: readonly Admitted[],
  lengths: readonly number[],
  { spec, clip, outlierFactor }: Bounds,
) {
  const factor = strategyOf(spec).robust || spec.name === "dp" ? null : outlierFactor;
  const far = findOutliers(
    lengths.map((length) => Math.min(length, clip ?? length)),
    factor,
  );
  const many = findOutliers(
    admitted.map(({ weight }) => weight),
    factor,
  );
  const reasonAt = (at: number): string | null => {
    const [length = 0, { numExamples }] = [lengths[at], (admitted[at] as Admitted).reply];
    const [farFrom = null, moreThan = null] = [far[at], many[at]];
    if (farFrom !== null)
      return outlierText(`its change has the length ${length.toPrecision(3)}`, farFrom, outlierFactor);
    return moreThan === null ? null : outlierText(`it reports ${numExamples} examples`, moreThan, outlierFactor);
  };
  const reasons = admitted.map((_, at) => reasonAt(at));
  const outliers = admitted.flatMap(({ reply: { participant } }, at) => {
    const reason = reasons[at] ?? null;
    return reason === null ? [] : [{ participant, reason }];
  });
  return { inRange: admitted.filter((_, at) => reasons[at] === null), outliers };
}

/** All of them where the strategy needs it; else some that are spread evenly. */
function comparedOf(count: number, all: boolean): number[] {
  const step = all ? 1 : Math.max(1, Math.ceil(count / COMPARED_MAX));
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step);
}

interface Rule {
  readonly spec: StrategySpec;
  readonly clip: number | null;
  readonly global: ModelFile | null;
  /** What the strategy remembers, by the hashes of where it lies. */
  readonly state: Readonly<Record<string, string>>;
}

export type Aggregated = Pick<RoundRecord, "strategy" | "modelOut" | "stateOut" | "replies" | "cosine" | "savedBytes">;

/** Puts the updates together, block by block in all threads, and writes the new model. */
export async function aggregate(
  threads: Aggregators,
  folder: RunFolder,
  { updates, products, compared }: Weighed,
  { spec, clip, global, state }: Rule,
): Promise<Aggregated> {
  const [first] = updates;
  if (first === undefined) throw new RangeError("there is nothing to aggregate");
  const strategy = strategyOf(spec);
  const choice = strategy.choose(updates, products);
  const factors = clipFactors(products, clip);
  const changes = choice.places.map((place) => {
    const { model, base } = updates[place] as Admitted;
    return { values: model.numbers, base, factor: factors[place] ?? 1 };
  });
  const memory = folder.openState(state);
  const numbers = global?.numbers ?? null;
  const folded = await threads.fold({ strategy: spec, choice, changes, global: numbers, memory });
  const layout = global?.layout ?? first.model.layout;
  const lengths = lengthsOf(products);
  const modelOut = folder.saveModel(modelPieces({ values: folded.values, layout }));
  const packed = updates.filter(({ model }) => model.packed !== null);
  const size = statSync(folder.modelPath(modelOut)).size;
  const savedBytes = packed.reduce((sum, { reply }) => sum + Math.max(0, size - reply.bytes), 0);
  return {
    strategy: strategy.name,
    modelOut,
    stateOut: folder.saveState(folded.state),
    replies: updates.map(({ reply, model, weight, staleness }, at) => ({
      participant: reply.participant,
      sha256: reply.sha256,
      bytes: reply.bytes,
      numExamples: weight,
      norm: lengths[at] ?? 0,
      counted: choice.places.includes(at),
      ...(staleness > 0 ? { staleness } : {}),
      ...(reply.arrival === undefined ? {} : { arrival: reply.arrival }),
      ...(model.packed === null ? {} : { packed: model.packed }),
    })),
    cosine: medianCosine(products, compared),
    ...(packed.length === 0 ? {} : { savedBytes }),
  };
}
