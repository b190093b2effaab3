import { secagg } from "../../../sdk/typescript/src/index.ts";
import { unknownFields } from "../coordinator/plan-fields.ts";
import { createStrategy, type StrategyPlan } from "../strategies/strategies.ts";

/** How updates are summed so that the coordinator sees nothing but the sum. */
export interface SecurePlan {
  /** How many of those who are asked have to stay until the end. */
  readonly threshold: number;
  /** Changes are cut to -clip .. clip, number by number. */
  readonly clip: number;
  /** What weights are divided by: nobody counts for more. */
  readonly maxWeight: number;
  /** For the steps that carry no model. */
  readonly deadlineMs: number;
}

type Fields = Readonly<Record<string, unknown>>;

interface PlanAround {
  readonly sample: number;
  readonly quorum: number;
  readonly strategy: StrategyPlan;
  readonly deadlineMs: number;
}

const USUAL_SHARE = 0.67;
const USUAL_CLIP = 8;
const USUAL_DEADLINE_MS = 60_000;

/**
 * How many that share is: to the nearest, three at least, and always more than half, so that no two groups can be told different
 * stories of who is there.
 */
export function thresholdOf(secure: unknown, sample: number): number | null {
  if (!isFields(secure)) return null;
  const share = typeof secure.threshold === "number" ? secure.threshold : USUAL_SHARE;
  const least = Math.max(secagg.PARTICIPANTS_MIN, Math.floor(sample / 2) + 1);
  return Math.min(sample, Math.max(least, Math.round(share * sample)));
}

/** The plan's `secure_aggregation`; null where it has none. What cannot go with it is said now, in words. */
export function readSecurePlan(plan: Fields, around: PlanAround, faults: string[]): SecurePlan | null {
  const secure = plan.secure_aggregation ?? null;
  if (secure === null) return null;
  if (!isFields(secure)) {
    faults.push("secure_aggregation is not a set of fields");
    return null;
  }
  faults.push(...unknownFields("secure_aggregation", secure, "secure_aggregation."));
  const positive = (name: string, usual: number, most = Number.POSITIVE_INFINITY): number => {
    const value = secure[name] ?? usual;
    if (typeof value === "number" && value > 0 && value <= most && Number.isFinite(value)) return value;
    const limit = most === Number.POSITIVE_INFINITY ? "" : ` and at most ${most}`;
    faults.push(`secure_aggregation.${name} is not a number above zero${limit}`);
    return usual;
  };
  positive("threshold", USUAL_SHARE, 1);
  const clip = positive("clip", USUAL_CLIP);
  const deadlineMs = Math.ceil(
    positive("deadline_seconds", Math.min(USUAL_DEADLINE_MS, around.deadlineMs) / 1000) * 1000,
  );
  const threshold = thresholdOf(secure, around.sample) ?? around.sample;
  faults.push(...sizeFaults(around, threshold), ...clashes(plan, around.strategy));
  return { threshold, clip, deadlineMs, maxWeight: readMaxWeight(plan.max_examples, faults) };
}

function sizeFaults({ sample, quorum }: PlanAround, threshold: number): string[] {
  const { PARTICIPANTS_MIN: least, PARTICIPANTS_MAX: most } = secagg;
  return [
    ...(sample < least ? [`secure_aggregation needs ${least} participants or more: fewer hide nobody`] : []),
    ...(sample > most ? [`secure_aggregation sums at most ${most} updates of 22 bits in words of 32`] : []),
    ...(sample >= least && quorum < threshold
      ? [`a quorum of ${quorum} is below the threshold of secure_aggregation, which is ${threshold} of ${sample}`]
      : []),
  ];
}

function readMaxWeight(value: unknown, faults: string[]): number {
  const { WEIGHT_MAX: most } = secagg;
  if (typeof value === "number" && Number.isInteger(value) && value > 0 && value <= most) return value;
  faults.push(
    `secure_aggregation needs max_examples, a whole number from 1 to ${most}: weights are divided by it before anybody sees them (1: all count alike)`,
  );
  return 1;
}

/** Whatever looks at one update by itself: the coordinator has none to look at. */
function clashes(plan: Fields, strategy: StrategyPlan): string[] {
  const why = "the coordinator sees only the sum";
  const is = (name: string, ...off: unknown[]) =>
    plan[name] !== undefined && plan[name] !== null && !off.includes(plan[name]);
  return [
    ...(isRobust(strategy)
      ? [`${strategy.name} compares updates with each other; with secure_aggregation ${why}`]
      : []),
    ...(strategy.name === "fedbuff" || is("mode", "synchronous")
      ? ["secure_aggregation sums the updates of one round; late and asynchronous ones have no round to be summed in"]
      : []),
    ...(is("late", "drop") ? ["a late update cannot be folded in: its masks are taken away without it"] : []),
    ...(is("clip")
      ? [`clip measures the length of an update; with secure_aggregation ${why} (its own clip cuts number by number)`]
      : []),
    ...(is("outlier_factor") ? [`outlier_factor compares updates; with secure_aggregation ${why}`] : []),
    ...(is("noise") ? [`noise goes with a clip that is checked; with secure_aggregation ${why}`] : []),
    ...(is("compression", "none")
      ? ["compression and secure_aggregation exclude each other: masked numbers are random, and nothing packs them"]
      : []),
    ...(is("format") || is("shape")
      ? ["secure_aggregation takes parameters that say what they are: safetensors, npy or npz, not bare floats"]
      : []),
    ...(typeof plan.initial === "string"
      ? []
      : [
          "secure_aggregation needs a model to begin with (initial): changes are summed, and there is nothing to change yet",
        ]),
  ];
}

function isRobust(strategy: StrategyPlan): boolean {
  try {
    return createStrategy(strategy).robust;
  } catch {
    // That there is no such strategy is said elsewhere.
    return false;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
