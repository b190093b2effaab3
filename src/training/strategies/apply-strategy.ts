import { type Change, joinMeasured, measureSpan } from "../aggregate/measure.ts";
import { broadcast, changed, inMemory } from "../aggregate/values.ts";
import { clipFactors } from "../privacy/clip.ts";
import { foldSpan } from "./fold-span.ts";
import { idsOf, type Outcome, type Strategy, type StrategyState, type Update } from "./strategy.ts";

/** All in memory and at once. Arrival order never matters: updates are put in the order of their participants first. */
export function applyStrategy(
  strategy: Strategy,
  global: Float32Array,
  updates: readonly Update[],
  state: StrategyState,
  clip: number | null = null,
): Outcome {
  const ordered = updates.toSorted((a, b) => (a.participantId < b.participantId ? -1 : 1));
  if (new Set(idsOf(ordered)).size !== ordered.length) throw new RangeError("a participant counts once in a round");
  const refusal = strategy.refuses(ordered.length);
  if (refusal !== null) throw new RangeError(refusal);
  const [base, span] = [inMemory(global), { from: 0, to: global.length }];
  const changes: Change[] = ordered.map(({ values }) => ({ values: inMemory(values), base }));
  const compared = new Set(strategy.compares ? changes.keys() : []);
  const { products } = joinMeasured(changes.length, compared, [measureSpan(changes, compared, span)]);
  const choice = strategy.choose(ordered, products);
  const factors = clipFactors(products, clip);
  const counted = choice.places.map((place) => {
    const { values } = changes[place] as Change;
    const factor = factors[place] ?? 1;
    return factor === 1 ? values : changed(values, base, base, factor);
  });
  const names = Object.entries(strategy.memory);
  const memory = names.map(([name, first]) => {
    const known = state.get(name);
    return [name, known === undefined ? broadcast(global.length, first) : inMemory(known)] as const;
  });
  const out = {
    values: new Float32Array(global.length),
    memory: Object.fromEntries(names.map(([name]) => [name, new Float32Array(global.length)])),
  };
  foldSpan(strategy, choice, { updates: counted, global: base, memory: Object.fromEntries(memory) }, span, out);
  return {
    values: out.values,
    state: new Map(Object.entries(out.memory)),
    counted: choice.places.map((place) => ordered[place]?.participantId ?? ""),
  };
}
