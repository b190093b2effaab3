import { isRecord } from "../../lib/json.ts";
import { didYouMean } from "../../lib/spelling/suggest.ts";

type Fields = Readonly<Record<string, unknown>>;

const KNOWN = {
  plan: [
    ...["name", "rounds", "seed", "participants", "strategy", "config", "dataset", "sample", "quorum", "retries"],
    ...["deadline_seconds", "max_examples", "clip", "noise", "evaluation", "stop_at", "initial", "secure_aggregation"],
    ...[
      "compression",
      "late",
      "mode",
      "buffer",
      "staleness_limit",
      "format",
      "shape",
      "wire",
      "aggregate",
      "outlier_factor",
    ],
  ],
  participant: ["id", "url", "token_env", "max_examples"],
  noise: ["multiplier", "delta"],
  evaluation: ["every", "participants", "dataset"],
  secure_aggregation: ["threshold", "clip", "deadline_seconds"],
  compression: ["top_k"],
} as const satisfies Record<string, readonly string[]>;

/** A name that is misspelt would be left out in silence, and with it the noise or the masks that somebody relies on. */
export const unknownFields = (part: keyof typeof KNOWN, fields: Fields, place = ""): string[] =>
  Object.keys(fields)
    .filter((name) => !(KNOWN[part] as readonly string[]).includes(name))
    .slice(0, 5)
    .map((name) => unknownSetting(place, name, KNOWN[part]));

const NAME_CHARS_MAX = 64;

function unknownSetting(place: string, name: string, known: readonly string[]): string {
  const shown = name.slice(0, NAME_CHARS_MAX);
  return `unknown setting \`${place}${shown}\`${didYouMean(shown, known)}`;
}

/** A plan that was taken before all names were looked at, without those that nobody reads: it means what it meant then. */
export function knownFields(plan: Fields): Fields {
  const known = pick("plan", plan);
  for (const part of ["noise", "evaluation", "secure_aggregation", "compression"] as const) {
    const fields = known[part];
    if (isRecord(fields)) known[part] = pick(part, fields);
  }
  return known;
}

const pick = (part: keyof typeof KNOWN, fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => (KNOWN[part] as readonly string[]).includes(name)));

/** What is null counts as left out; a data set may be anything. */
export const givenFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== null || name === "dataset"));

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isCount = (value: unknown): boolean => isNumber(value) && Number.isInteger(value) && value >= 1;
const isShare = (value: unknown): boolean => isNumber(value) && value >= 0 && value < 1;
const RATE_MAX = 1_000;
const isRate = (value: unknown): boolean => isNumber(value) && value > 0 && value <= RATE_MAX;

const COUNT = [isCount, "a whole number of 1 or more"] as const;
const SHARE = [isShare, "a number from 0 to below 1"] as const;
const RATE = [isRate, `a number above zero and at most ${RATE_MAX}`] as const;

const SETTINGS: Readonly<Record<string, readonly [is: (value: unknown) => boolean, words: string]>> = {
  f: COUNT,
  keep: COUNT,
  learning_rate: RATE,
  momentum: SHARE,
  beta1: SHARE,
  beta2: SHARE,
  tau: RATE,
};

/** What is wrong with the numbers of a strategy: with them every model would be one of nothing but infinities, or stand still. */
export const strategyFaults = ({ name: _, ...settings }: Fields): string[] =>
  Object.entries(settings).flatMap(([name, value]) => {
    const setting = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
    if (setting === undefined) return [unknownSetting("strategy.", name, Object.keys(SETTINGS))];
    const [is, words] = setting;
    return is(value) ? [] : [`strategy.${name} is not ${words}`];
  });
