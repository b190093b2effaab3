import type { Operation } from "../contract/params.ts";
import { findPrice, type PriceComponent, type Prices } from "./price.ts";

/**
 * What a call of each kind can be charged by, the first that a list has priced whole. Without any of them nobody can say
 * what the call costs: it would be given away in silence.
 */
const MEASURES: Readonly<Record<Operation, readonly (readonly PriceComponent[])[]>> = {
  chat: [["input", "output"], ["request"]],
  completion: [["input", "output"], ["request"]],
  embedding: [["input"], ["request"]],
  moderation: [["input"], ["request"]],
  image: [["image"], ["image_output"], ["request"]],
  image_edit: [["image"], ["image_output"], ["request"]],
  speech: [["character"], ["second"], ["audio_output"], ["request"]],
  transcription: [["second"], ["audio_input"], ["request"]],
  translation: [["second"], ["audio_input"], ["request"]],
  rerank: [["request"], ["input"]],
  realtime: [["input", "output"]],
};

/** Units that stand for the whole answer: who charges by them does not charge for its tokens as well. */
const WHOLE: ReadonlySet<PriceComponent> = new Set(["image", "character", "second"]);

const made = new WeakMap<Prices, Map<Operation, Prices | null>>();

/** The part of a list that calls of this kind are charged by; null where it does not say what they cost. */
export function chargedPrices(prices: Prices, operation: Operation): Prices | null {
  const known = made.get(prices) ?? new Map<Operation, Prices | null>();
  const found = known.get(operation);
  if (found !== undefined) return found;
  const charged = pick(prices, operation);
  made.set(prices, known.set(operation, charged));
  return charged;
}

function pick(prices: Prices, operation: Operation): Prices | null {
  const isWhole = (components: readonly PriceComponent[]) =>
    components.every((component) => findPrice(prices, component) !== undefined);
  const [measure] = MEASURES[operation].find(isWhole) ?? [];
  if (measure === undefined) return null;
  // A session is no call that a model answers, and its responses are charged by their tokens.
  if (operation === "realtime") return withoutRequests(prices);
  if (!WHOLE.has(measure)) return prices;
  const { [measure]: one, request } = prices;
  return { ...(one ? { [measure]: one } : {}), ...(request ? { request } : {}) };
}

function withoutRequests({ request: _, ...others }: Prices): Prices {
  return others;
}

const [IN, OUT] = ["input_cost_per_token", "output_cost_per_token"];
const HEARD = [["input_cost_per_second"], [IN, OUT]];
const DRAWN = [["output_cost_per_image"], [IN, OUT]];

/** What a configuration usually states for calls of each kind; one of the rows will do. */
const STATED: Readonly<Record<Operation, readonly (readonly string[])[]>> = {
  chat: [[IN, OUT]],
  completion: [[IN, OUT]],
  embedding: [[IN]],
  moderation: [[IN]],
  image: DRAWN,
  image_edit: DRAWN,
  speech: [["input_cost_per_character"]],
  transcription: HEARD,
  translation: HEARD,
  rerank: [["input_cost_per_query"], [IN]],
  realtime: [[IN, OUT]],
};

/** The names under which a configuration states what a call of this kind needs, for people to read. */
export function neededFields(operation: Operation): string {
  const ways = [...STATED[operation], ["free: true"]];
  return ways.map((names) => names.map((name) => `\`${name}\``).join(" and ")).join(", or ");
}
