import {
  float32,
  Participant,
  readSafetensors,
  type TrainFunction,
  writeSafetensors,
} from "../../sdk/typescript/src/index.ts";

/** Participants of the smallest kind: the model is three numbers, and training moves them towards the participant's own. */
export interface Small {
  readonly id: string;
  readonly url: string;
  /** How many trainings were begun here. */
  readonly calls: { count: number };
  stop(): Promise<void>;
}

export const modelOf = (values: readonly number[]): Uint8Array =>
  writeSafetensors(new Map([["w", float32([...values])]]));
export const valuesOf = (bytes: Uint8Array): number[] => {
  const copy = Uint8Array.from(readSafetensors(Uint8Array.from(bytes)).get("w")?.bytes ?? []);
  return [...new Float32Array(copy.buffer)];
};

export async function startSmall(
  id: string,
  at: number,
  train?: TrainFunction,
  begun: (id: string) => void = () => undefined,
): Promise<Small> {
  const calls = { count: 0 };
  const participant = new Participant({ name: id, log: false, partial: true });
  const usual: TrainFunction = (parameters) => {
    const values = parameters === null ? [0, 0, 0] : valuesOf(parameters);
    const moved = values.map((value, place) => value + 0.3 * (Math.sin(at * 7 + place) * 5 - value));
    return { parameters: modelOf(moved), numExamples: at + 1 };
  };
  participant.registerTrain((parameters, dataset, context) => {
    calls.count++;
    begun(id);
    return (train ?? usual)(parameters, dataset, context);
  });
  participant.registerEvaluate((parameters) => -Math.abs(valuesOf(parameters ?? modelOf([0, 0, 0]))[0] ?? 0));
  participant.registerDataset("default", []);
  const listener = await participant.serve({ host: "127.0.0.1", port: 0 });
  return { id, url: listener.url, calls, stop: listener.stop };
}
