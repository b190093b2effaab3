import type { AggregateFunction, Dataset, EvaluateFunction, TrainFunction } from "./functions.ts";
import { Participant } from "./participant.ts";
import type { ParticipantOptions } from "./settings.ts";

export { ParticipantError } from "./failure.ts";
export type {
  AggregateFunction,
  Context,
  Dataset,
  EvaluateFunction,
  EvaluateResult,
  Metrics,
  Parameters,
  ParametersLike,
  TrainFunction,
  TrainResult,
} from "./functions.ts";
export type { Limits } from "./limits.ts";
export { type PackedChange, readPacked } from "./pack/pack-change.ts";
export { type PackForm, readPackForm } from "./pack/pack-form.ts";
export { type PackedUpdate, packUpdate } from "./pack/pack-update.ts";
export { type Model, Participant } from "./participant.ts";
export * as secagg from "./secagg/index.ts";
export type { Listener } from "./serve/listener.ts";
export type { LogLine, ParticipantOptions } from "./settings.ts";
export { FormatError } from "./tensors/format-error.ts";
export { readNpy, writeNpy } from "./tensors/npy.ts";
export { type Format, readRaw, readTensors, sniffFormat, tensorPieces, writeTensors } from "./tensors/read-tensors.ts";
export { readSafetensors, writeSafetensors } from "./tensors/safetensors.ts";
export { fromSmall, toSmall } from "./tensors/small-floats.ts";
export { asFloat32, type Dtype, float32, type Tensor, type Tensors, withMetadata } from "./tensors/tensor.ts";
export { weightedMean } from "./tensors/weighted-mean.ts";

let shared: Participant | null = null;

/** The participant behind the functions below. */
export function defaultParticipant(): Participant {
  shared ??= new Participant();
  return shared;
}

export const registerTrain = <F extends TrainFunction>(run: F): F => defaultParticipant().registerTrain(run);
export const registerEvaluate = <F extends EvaluateFunction>(run: F): F => defaultParticipant().registerEvaluate(run);
export const registerAggregate = <F extends AggregateFunction>(run: F): F =>
  defaultParticipant().registerAggregate(run);
export const registerDataset = (name: string, source: Dataset): void =>
  defaultParticipant().registerDataset(name, source);
export const run = (options: ParticipantOptions = {}): Promise<void> => defaultParticipant().run(options);
