import { findSameAddress } from "../participant-address.ts";
import { readSecurePlan, type SecurePlan, thresholdOf } from "../secure/secure-plan.ts";
import { createStrategy, type StrategyPlan } from "../strategies/strategies.ts";
import { givenFields, strategyFaults, unknownFields } from "./plan-fields.ts";
import { type PlanModes, readModes } from "./plan-modes.ts";
import { type PlannedNoise, readNoise } from "./plan-noise.ts";

export interface PlannedParticipant {
  readonly id: string;
  readonly url: string;
  /** The variable that holds its bearer token; a plan holds no secrets. */
  readonly tokenEnv: string | null;
  /** It never counts for more; absent where only the plan's own limit holds. */
  readonly maxExamples?: number;
}

/** One training, whole: who, how often, by which rule, and what is enough. */
export interface Plan extends PlanModes {
  readonly name: string;
  readonly seed: number;
  readonly rounds: number;
  readonly participants: readonly PlannedParticipant[];
  /** How many are asked in a round. */
  readonly sample: number;
  /** How many have to answer for a round to count. */
  readonly quorum: number;
  readonly deadlineMs: number;
  /** How often a call is tried again, and how often a round. */
  readonly retries: number;
  readonly strategy: StrategyPlan;
  /** The longest change that counts; longer ones are shortened. */
  readonly clip: number | null;
  readonly noise: PlannedNoise | null;
  readonly maxExamples: number | null;
  /** Absent where the coordinator sees updates. */
  readonly secure?: SecurePlan;
  /** What participants are told: learning rate, epochs, and so on. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly dataset: unknown;
  readonly evaluation: { readonly every: number; readonly participants: number; readonly dataset: unknown };
  readonly stopAt: number | null;
  /** A file with the model to begin with; without one, participants start from nothing. */
  readonly initial: string | null;
}

/** Every fault of a plan at once. */
export class PlanError extends Error {
  override readonly name = "PlanError";

  constructor(readonly faults: readonly string[]) {
    super(`the plan cannot be run: ${faults.join("; ")}`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

const NAME_MAX = 100;

export function readPlan(document: unknown): Plan {
  const faults: string[] = [];
  const plan = givenFields(fieldsOf(document, "the plan", faults));
  faults.push(...unknownFields("plan", plan));
  const count = (name: string, least: number, usual: number, from: Fields = plan): number => {
    const value = from[name] ?? usual;
    if (typeof value === "number" && Number.isInteger(value) && value >= least) return value;
    faults.push(`${name} is not a whole number of ${least} or more`);
    return usual;
  };
  const positive = (name: string, value: unknown): number | null => {
    if (value === undefined || value === null) return null;
    if (typeof value === "number" && value > 0 && Number.isFinite(value)) return value;
    faults.push(`${name} is not a number above zero`);
    return null;
  };
  const participants = readParticipants(plan.participants, faults);
  const sample = Math.min(count("sample", 1, participants.length || 1), participants.length);
  const quorum = count("quorum", 1, thresholdOf(plan.secure_aggregation, sample) ?? (sample || 1));
  if (participants.length > 0 && quorum > sample)
    faults.push(`a quorum of ${quorum} cannot be reached when ${sample} are asked`);
  const modes = readModes(plan, sample, faults);
  const usual = modes.asynchronous === undefined ? "fedavg" : "fedbuff";
  const strategy = readStrategy(plan.strategy ?? usual, quorum, faults);
  if (modes.asynchronous !== undefined && strategy.name !== "fedbuff")
    faults.push("asynchronous rounds go with fedbuff only");
  const noise = readNoise(plan, strategy.name, faults);
  const evaluation = fieldsOf(plan.evaluation ?? {}, "evaluation", faults);
  faults.push(...unknownFields("evaluation", evaluation, "evaluation."));
  const clip = positive("clip", plan.clip);
  const deadlineMs = count("deadline_seconds", 1, 600) * 1000;
  const secure = readSecurePlan(plan, { sample, quorum, strategy, deadlineMs }, faults);
  const read: Plan = {
    name: readName(plan.name ?? "training", faults),
    seed: count("seed", 0, 0),
    rounds: count("rounds", 1, 10),
    participants,
    sample,
    quorum,
    deadlineMs,
    retries: count("retries", 0, 2),
    strategy,
    clip,
    noise,
    maxExamples: positive("max_examples", plan.max_examples),
    ...(secure === null ? {} : { secure }),
    ...modes,
    config: fieldsOf(plan.config ?? {}, "config", faults),
    dataset: plan.dataset,
    evaluation: {
      every: count("every", 1, 1, evaluation),
      participants: count("participants", 1, participants.length || 1, evaluation),
      dataset: evaluation.dataset ?? plan.dataset,
    },
    stopAt: readStopAt(plan.stop_at, faults),
    initial: readInitial(plan.initial, faults),
  };
  if (faults.length > 0) throw new PlanError(faults);
  return read;
}

function readParticipants(value: unknown, faults: string[]): PlannedParticipant[] {
  if (!Array.isArray(value) || value.length === 0) {
    faults.push("participants is not a list of one or more");
    return [];
  }
  const ids = new Set<string>();
  const placed: Array<{ name: string; url: string }> = [];
  const read = value.flatMap((item, at) => {
    const fields = fieldsOf(item, `participants[${at}]`, faults);
    faults.push(...unknownFields("participant", fields, `participants[${at}].`));
    const { id = `p${at}`, url, token_env: tokenEnv = null, max_examples: most } = fields;
    if (typeof id !== "string" || !/^[\w.-]{1,64}$/.test(id)) faults.push(`participants[${at}].id is not a plain name`);
    else if (ids.has(id)) faults.push(`the participant ${id} stands twice`);
    if (typeof url !== "string" || !/^https?:\/\//.test(url) || !URL.canParse(url))
      faults.push(`participants[${at}].url is not an address`);
    else placed.push({ name: String(id), url });
    const isCap = typeof most === "number" && most > 0 && Number.isFinite(most);
    if (most !== undefined && most !== null && !isCap)
      faults.push(`participants[${at}].max_examples is not a number above zero`);
    ids.add(String(id));
    return [
      {
        id: String(id),
        url: String(url).replace(/\/$/, ""),
        tokenEnv: tokenEnv === null ? null : String(tokenEnv),
        ...(isCap ? { maxExamples: most } : {}),
      },
    ];
  });
  const same = findSameAddress(placed);
  if (same !== null) faults.push(`${same.join(" and ")} have the same address, and would count twice`);
  return read;
}

/** It is shown in lists, and names the folder of a run. */
function readName(value: unknown, faults: string[]): string {
  if (typeof value === "string" && value.trim() !== "" && value.length <= NAME_MAX && !/\p{Cc}/u.test(value))
    return value;
  faults.push(`name is not a text of 1 to ${NAME_MAX} characters, in one line`);
  return "";
}

function readInitial(value: unknown, faults: string[]): string | null {
  if (value !== undefined && typeof value !== "string") faults.push("initial is not the name of a file");
  return typeof value === "string" ? value : null;
}

/** Accuracy may be below zero: some take the loss for it, with a minus. */
function readStopAt(value: unknown, faults: string[]): number | null {
  if (value === undefined) return null;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  faults.push("stop_at is not a number");
  return null;
}

/** A strategy that cannot work with as few updates as the quorum allows is refused now, not in round seventeen. */
function readStrategy(value: unknown, quorum: number, faults: string[]): StrategyPlan {
  const fields =
    typeof value === "string" ? { name: value } : fieldsOf(value ?? { name: "fedavg" }, "strategy", faults);
  faults.push(...strategyFaults(fields));
  const { learning_rate: learningRate, ...rest } = fields as Fields & { name: string };
  const plan = (learningRate === undefined ? rest : { ...rest, learningRate }) as StrategyPlan;
  try {
    const refusal = createStrategy(plan).refuses(quorum);
    if (refusal !== null) faults.push(`with a quorum of ${quorum}: ${refusal}`);
  } catch (thrown) {
    faults.push(thrown instanceof Error ? thrown.message : String(thrown));
  }
  return plan;
}

function fieldsOf(value: unknown, name: string, faults: string[]): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  faults.push(`${name} is not a set of fields`);
  return {};
}
