import type { Span } from "../aggregate/values.ts";

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

/** An update without its numbers. */
export interface Candidate {
  readonly weight: number;
  readonly staleness?: number;
}

/** Which updates count, by their places, and as what: a weighted mean, or the mean of certain ranks at every place. */
export type Choice =
  | { readonly kind: "mean"; readonly places: readonly number[]; readonly weights: readonly number[] }
  | { readonly kind: "ranks"; readonly places: readonly number[]; readonly ranks: Span };

/** Numbers of one block. What is done with them at one place does not depend on any other place. */
export interface StepBlock {
  /** Which block of the model this is. */
  readonly block: number;
  /** How many updates counted. */
  readonly counted: number;
  readonly global: Float32Array;
  /** The mean of the updates, which becomes the new model. */
  readonly values: Float32Array;
  /** What the strategy remembers, which becomes what it will remember. */
  readonly memory: Readonly<Record<string, Float32Array>>;
}

/**
 * Pure: the same model, updates and state always give the same bytes. Updates come in the order of participant ids. First it
 * chooses, knowing how far changes lie from each other; then every number is computed by itself, by any number of threads.
 */
export interface Strategy {
  readonly name: string;
  /** Whether it leaves out what differs from the others, which costs accuracy where everybody's data differ. */
  readonly robust: boolean;
  /** Why it cannot work with so many updates; null when it can. */
  refuses(updates: number): string | null;
  /** Whether it chooses by distances between changes. */
  readonly compares: boolean;
  /** `products` are the dot products of changes; all of them only where it compares. */
  choose(candidates: readonly Candidate[], products: ReadonlyArray<Float64Array>): Choice;
  /** What it remembers, by name, with the number that it begins from. */
  readonly memory: Readonly<Record<string, number>>;
  /** What becomes of the mean; null where the mean is the new model. */
  readonly step: ((block: StepBlock) => void) | null;
}

export const idsOf = (updates: readonly Update[]): string[] => updates.map(({ participantId }) => participantId);

/** Everybody counts. */
export const allOf = (candidates: readonly Candidate[]): number[] => candidates.map((_, place) => place);
