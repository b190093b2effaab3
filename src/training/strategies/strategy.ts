/** What one participant sent back: a whole model, as many numbers as the global one. */
export interface Update {
  readonly participantId: string;
  readonly weight: number;
  readonly values: Float32Array;
  /** How many models were made since the one that it began from. */
  readonly staleness?: number;
}

/** What a strategy remembers from round to round, such as moments; rounded to float32, so that it can be stored. */
export type StrategyState = ReadonlyMap<string, Float32Array>;

export interface Outcome {
  readonly values: Float32Array;
  readonly state: StrategyState;
  /** Who counted, by participant id. */
  readonly counted: readonly string[];
}

/** Pure: the same model, updates and state always give the same bytes. Updates come in the order of participant ids. */
export interface Strategy {
  readonly name: string;
  /** Why it cannot work with so many updates; null when it can. */
  refuses(updates: number): string | null;
  apply(global: Float32Array, updates: readonly Update[], state: StrategyState): Outcome;
  /** Whether it leaves out what differs from the others, which costs accuracy where everybody's data differ. */
  readonly robust: boolean;
}

/** Arrival order never matters: updates are put in the order of their participants first. */
export function applyStrategy(
  strategy: Strategy,
  global: Float32Array,
  updates: readonly Update[],
  state: StrategyState,
): Outcome {
  const ordered = updates.toSorted((a, b) => (a.participantId < b.participantId ? -1 : 1));
  if (new Set(ordered.map(({ participantId }) => participantId)).size !== ordered.length) {
    throw new RangeError("a participant counts once in a round");
  }
  const refusal = strategy.refuses(ordered.length);
  if (refusal !== null) throw new RangeError(refusal);
  return strategy.apply(global, ordered, state);
}

export const idsOf = (updates: readonly Update[]): string[] => updates.map(({ participantId }) => participantId);
