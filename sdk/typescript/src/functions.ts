import type { Tensors } from "./tensors/tensor.ts";

/** What a run says about itself. Everything is optional on the wire. */
export interface Context {
  readonly runId: string | null;
  readonly round: number | null;
  /** What the coordinator wishes: learning rate, epochs, proximal term, seed. */
  readonly config: Readonly<Record<string, unknown>>;
  /** How much each entry of the list counts; of /aggregate only. */
  readonly weights: readonly number[] | null;
  /** Aborted when the caller has gone or the deadline has passed. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}

export type Parameters = Uint8Array;
/** Bytes as they are, or named tensors, which are written as safetensors. */
export type ParametersLike = Uint8Array | ArrayBuffer | Tensors;
export type Metrics = Readonly<Record<string, number>>;

export interface TrainResult {
  readonly parameters: ParametersLike;
  readonly numExamples?: number;
  readonly metrics?: Metrics;
}

export interface EvaluateResult {
  readonly accuracy: number | bigint;
  readonly loss?: number;
  readonly numExamples?: number;
  readonly metrics?: Metrics;
}

type Awaitable<T> = T | Promise<T>;

/** Gets null in the first round, when training starts from nothing. */
// biome-ignore lint/suspicious/noExplicitAny: the data set is whatever the people of the participant agreed on.
export type Dataset = any;
export type TrainFunction = (
  parameters: Parameters | null,
  dataset: Dataset,
  context: Context,
) => Awaitable<ParametersLike | TrainResult>;
export type EvaluateFunction = (
  parameters: Parameters | null,
  dataset: Dataset,
  context: Context,
) => Awaitable<number | bigint | EvaluateResult>;
export type AggregateFunction = (
  parametersList: Parameters[],
  context: Context,
) => Awaitable<ParametersLike | TrainResult>;

export interface Functions {
  train?: TrainFunction;
  evaluate?: EvaluateFunction;
  aggregate?: AggregateFunction;
}

export const METHODS = ["train", "evaluate", "aggregate"] as const;
export type Method = (typeof METHODS)[number];
