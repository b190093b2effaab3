// The model that the conformance cases speak to; ../../conformance/README.md says what it does.

import { createHash } from "node:crypto";
import {
  type Context,
  type Dataset,
  float32,
  type Limits,
  Participant,
  ParticipantError,
  weightedMean,
} from "../src/index.ts";
import { randomSource } from "../src/secagg/random-source.ts";

interface Options {
  tokens?: string[];
  origins?: string[];
  expose_errors?: boolean;
  partial?: boolean;
  limits?: Record<string, number>;
  datasets?: Record<string, Dataset>;
  only?: string[];
  secure_only?: boolean;
  shape?: number[];
  group_secret?: string;
  randomness?: string;
}

const options: Options = JSON.parse(process.argv[2] ?? "{}");
const only = options.only ?? ["train", "evaluate", "aggregate"];

const { randomness } = options;
if (randomness !== undefined) {
  let draws = 0;
  randomSource.bytes = (count) => {
    const hash = createHash("shake256", { outputLength: count }).update(`${randomness}:${draws++}`);
    return new Uint8Array(hash.digest());
  };
}

let release = (): void => undefined;
const released = new Promise<void>((resolve) => {
  release = resolve;
});
let trainings = 0;

function describe(parameters: Uint8Array | null, dataset: Dataset, context: Context): Uint8Array {
  const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  const known = parameters === null ? null : { bytes: parameters.length, sha256: sha256(parameters) };
  const { runId, round, config } = context;
  return Buffer.from(JSON.stringify({ parameters: known, dataset, run_id: runId, round, config }));
}

async function later<T>(value: T): Promise<T> {
  await new Promise((resolve) => setImmediate(resolve));
  return value;
}

function train(parameters: Uint8Array | null, dataset: Dataset, context: Context): never {
  trainings++;
  return answer() as never;

  function answer(): unknown {
    switch (dataset?.do) {
      case "echo":
        return parameters ?? new Uint8Array(0);
      case "async":
        return later(parameters);
      case "array":
        return parameters?.slice().buffer;
      case "tensors":
        return new Map([
          ["w", float32([1, 2])],
          ["ünit", float32([0.5], [1, 1])],
        ]);
      case "rich":
        return { parameters, numExamples: 3, metrics: { loss: 0.25, tiny: 1e-7 } };
      case "become":
        return Buffer.from(dataset.base64, "base64");
      case "count":
        return Buffer.from(String(trainings));
      case "return":
        return dataset.value;
      case "refuse":
        throw new ParticipantError(dataset.message, dataset.status);
      case "throw":
        throw new Error("the words of the error");
      case "wait":
        return released.then(() => parameters);
      default:
        return describe(parameters, dataset, context);
    }
  }
}

function evaluate(parameters: Uint8Array | null, dataset: Dataset): never {
  return answer() as never;

  function answer(): unknown {
    switch (dataset?.do) {
      case "return":
        return dataset.value;
      case "number":
        return Number(dataset.value);
      case "item":
        return { item: () => dataset.value };
      case "integer":
        return 7n;
      case "rich":
        return { accuracy: 0.5, loss: -1.5, numExamples: 10, metrics: { f1: 1 } };
      case "async":
        return later(0.75);
      case "throw":
        throw new Error("the words of the error");
      case "release":
        release();
        return parameters?.length ?? -1;
      default:
        return parameters?.length ?? -1;
    }
  }
}

function aggregate(parametersList: Uint8Array[], { config, weights }: Context): Uint8Array {
  if (config.do === "mean") return weightedMean(parametersList, weights, config.shape as number[] | undefined);
  const bar = Buffer.from("|");
  return Buffer.concat(parametersList.flatMap((entry, at) => (at === 0 ? [entry] : [bar, entry])));
}

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const limits: Partial<Limits> = Object.fromEntries(
  Object.entries(options.limits ?? {}).map(([name, value]) => [camel(name), value]),
);
const participant = new Participant({
  ...(options.tokens ? { tokens: options.tokens } : {}),
  ...(options.origins ? { origins: options.origins } : {}),
  exposeErrors: options.expose_errors ?? false,
  partial: options.partial ?? false,
  secureOnly: options.secure_only ?? false,
  ...(options.shape ? { shape: options.shape } : {}),
  ...(options.group_secret ? { groupSecret: options.group_secret } : {}),
  limits,
  host: "127.0.0.1",
  port: 0,
  log: false,
});
if (only.includes("train")) participant.registerTrain(train);
if (only.includes("evaluate")) participant.registerEvaluate(evaluate);
if (only.includes("aggregate")) participant.registerAggregate(aggregate);
for (const [name, rows] of Object.entries(options.datasets ?? {})) participant.registerDataset(name, rows);
await participant.run();
