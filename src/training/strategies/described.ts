import { createStrategy, STRATEGY_NAMES } from "./strategies.ts";

export interface StrategySetting {
  /** As a plan spells it. */
  readonly name: string;
  readonly usual: number;
  readonly description: string;
}

export interface DescribedStrategy {
  readonly name: string;
  readonly summary: string;
  readonly robust: boolean;
  /** The smallest quorum that it works with, at its usual settings. */
  readonly updatesMin: number;
  readonly settings: readonly StrategySetting[];
}

const RATE = { name: "learning_rate", usual: 0.03, description: "How far the server steps." };
const MOMENTS = [
  { name: "beta1", usual: 0.9, description: "How much of the last steps stays in the direction." },
  { name: "beta2", usual: 0.99, description: "How much of the last steps stays in the scale." },
  { name: "tau", usual: 0.001, description: "Added to the scale, so that small ones do not explode." },
];
const LIARS = { name: "f", usual: 1, description: "How many participants may send anything at all." };

const WORDS: Readonly<Record<string, readonly [summary: string, settings: readonly StrategySetting[]]>> = {
  fedavg: ["The mean, weighted by examples.", []],
  fedprox: ["The mean; participants are asked to stay near the model that they were sent.", []],
  fedavgm: [
    "The mean change with momentum at the server.",
    [
      { name: "learning_rate", usual: 1, description: "How far the server steps." },
      { name: "momentum", usual: 0.9, description: "How much of the last step stays." },
    ],
  ],
  fedadam: ["The mean change as a gradient, with Adam at the server. Good where data differ.", [RATE, ...MOMENTS]],
  fedyogi: ["The mean change as a gradient, with Yogi at the server.", [RATE, ...MOMENTS]],
  fedadagrad: [
    "The mean change as a gradient, with Adagrad at the server.",
    [RATE, ...MOMENTS.filter(({ name }) => name !== "beta2")],
  ],
  fedbuff: [
    "The mean change, in which late updates count less.",
    [{ name: "learning_rate", usual: 1, description: "How far the server steps." }],
  ],
  median: ["The middle value at every place. Bears liars; learns less where data differ.", []],
  trimmed_mean: ["The mean without the f smallest and largest at every place. Bears f liars.", [LIARS]],
  krum: ["The one update that is nearest to its neighbours. Bears f liars.", [LIARS]],
  multi_krum: [
    "The mean of the updates that are nearest to their neighbours. Bears f liars.",
    [LIARS, { name: "keep", usual: 2, description: "How many updates are kept." }],
  ],
};

const UPDATES_MAX = 1_000;

/** The strategies that a plan may name, for whoever chooses one. */
export const describeStrategies = (): DescribedStrategy[] =>
  STRATEGY_NAMES.map((name) => {
    const strategy = createStrategy({ name });
    const [summary, settings] = WORDS[name] ?? ["", []];
    let updatesMin = 1;
    while (updatesMin < UPDATES_MAX && strategy.refuses(updatesMin) !== null) updatesMin++;
    return { name, summary, robust: strategy.robust, updatesMin, settings };
  });
