import { statSync } from "node:fs";
import { lengthsOf } from "../aggregate/measure.ts";
import { medianCosine } from "../cosine.ts";
import type { ModelFile } from "../model-file.ts";
import { modelPieces } from "../model-values.ts";
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

/** Answers with what was measured of them, without those that are not finite. */
export interface Weighed {
  readonly updates: readonly Admitted[];
  readonly refused: ReadonlyArray<{ readonly participant: string; readonly reason: string }>;
  readonly products: ReadonlyArray<Float64Array>;
  readonly compared: readonly number[];
}

/** Looks at every number of the answers once, in all threads. */
export async function weigh(threads: Aggregators, admitted: readonly Admitted[], spec: StrategySpec): Promise<Weighed> {
  const compared = comparedOf(admitted.length, strategyOf(spec).compares);
  const changes = admitted.map(({ model, base }) => ({ values: model.numbers, base }));
  const { products, notFinite } = await threads.measure({ changes, compared });
  const bad = admitted.flatMap((one, at) => ((notFinite[at] ?? -1) < 0 ? [] : [{ one, place: notFinite[at] }]));
  if (bad.length === 0) return { updates: admitted, refused: [], products, compared };
  const others = await weigh(
    threads,
    admitted.filter((_, at) => (notFinite[at] ?? -1) < 0),
    spec,
  );
  const refused = bad.map(({ one, place }) => ({
    participant: one.reply.participant,
    reason: `number ${place} is not finite`,
  }));
  return { ...others, refused };
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
