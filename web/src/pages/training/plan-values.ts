import type { StrategyRecord } from "../../../../src/contract/training.ts";

type Figure = number | string;

/** A plan as the form has it; what is empty is left to the server. */
export interface PlanValues extends Record<string, unknown> {
  readonly name: string;
  readonly participants: readonly string[];
  readonly rounds: Figure;
  readonly strategy: string;
  /** By the name that a plan has for it. */
  readonly settings: Readonly<Record<string, Figure>>;
  readonly dataset: string;
  readonly evaluationDataset: string;
  readonly learningRate: Figure;
  readonly epochs: Figure;
  readonly sample: Figure;
  readonly quorum: Figure;
  readonly deadline: Figure;
  readonly retries: Figure;
  readonly clip: Figure;
  readonly stopAt: Figure;
  readonly seed: Figure;
  readonly isSecure: boolean;
  readonly maxExamples: Figure;
  /** The model to begin with; it goes beside the plan. */
  readonly initial: File | null;
}

export const NEW_PLAN: PlanValues = {
  name: "",
  participants: [],
  rounds: 10,
  strategy: "fedavg",
  settings: {},
  dataset: "",
  evaluationDataset: "",
  learningRate: "",
  epochs: "",
  sample: "",
  quorum: "",
  deadline: "",
  retries: "",
  clip: "",
  stopAt: "",
  seed: "",
  isSecure: false,
  maxExamples: "",
  initial: null,
};

/** The plan that the form stands for, in the order in which somebody would write it. */
export function planOf(values: PlanValues, strategy: StrategyRecord | undefined): Record<string, unknown> {
  const settings = figures(
    Object.fromEntries((strategy?.settings ?? []).map(({ name }) => [name, values.settings[name] ?? ""])),
  );
  const config = figures({ lr: values.learningRate, epochs: values.epochs });
  const { evaluationDataset } = values;
  return {
    name: values.name.trim() || "training",
    ...figures({ rounds: values.rounds, seed: values.seed }),
    participants: [...values.participants],
    strategy: Object.keys(settings).length === 0 ? values.strategy : { name: values.strategy, ...settings },
    ...(values.isSecure ? { secure_aggregation: {} } : {}),
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(values.dataset === "" ? {} : { dataset: values.dataset }),
    ...figures({
      sample: values.sample,
      quorum: values.quorum,
      deadline_seconds: values.deadline,
      retries: values.retries,
      clip: values.clip,
      // Weights are divided by it before anybody sees them; without a word of it all count alike.
      max_examples: values.maxExamples === "" && values.isSecure ? 1 : values.maxExamples,
    }),
    ...(evaluationDataset === "" ? {} : { evaluation: { dataset: evaluationDataset } }),
    ...figures({ stop_at: values.stopAt }),
  };
}

const figures = (given: Readonly<Record<string, Figure>>): Record<string, number> =>
  Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === "" ? [] : [[name, Number(value)]])));
