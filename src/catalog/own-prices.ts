import { PARENTS, type Price, type PriceComponent, type Prices, parsePrice } from "./price.ts";

/** The names that a configuration has for each price, in USD per unit; the first that is there counts. */
export const PRICE_FIELDS: Readonly<Record<PriceComponent, readonly string[]>> = {
  input: ["input_cost_per_token"],
  output: ["output_cost_per_token"],
  cache_read: ["cache_read_input_token_cost"],
  cache_write: ["cache_creation_input_token_cost"],
  cache_write_1h: ["cache_creation_input_token_cost_above_1hr"],
  reasoning: ["output_cost_per_reasoning_token"],
  audio_input: ["input_cost_per_audio_token"],
  audio_output: ["output_cost_per_audio_token"],
  image: ["output_cost_per_image", "input_cost_per_image"],
  second: ["output_cost_per_second", "input_cost_per_second"],
  character: ["input_cost_per_character", "output_cost_per_character"],
  request: ["input_cost_per_query"],
};

const TIER = /_above_(\d{1,6})k_tokens$/;

type Fields = Readonly<Record<string, unknown>>;

/** The prices that a deployment states itself. */
export function readOwnPrices(fields: Fields): Prices {
  const prices: Partial<Record<PriceComponent, Price>> = {};
  for (const [component, names] of Object.entries(PRICE_FIELDS) as [PriceComponent, readonly string[]][]) {
    for (const name of names) {
      const base = parsePrice(fields[name]);
      if (base === null) continue;
      prices[component] = { base, tiers: readTiers(fields, name) };
      break;
    }
  }
  return prices;
}

function readTiers(fields: Fields, name: string): Price["tiers"] {
  const tiers: { aboveTokens: number; price: bigint }[] = [];
  for (const [key, value] of Object.entries(fields)) {
    const thousands = key.startsWith(name) ? TIER.exec(key.slice(name.length))?.[1] : undefined;
    const price = thousands === undefined ? null : parsePrice(value);
    if (price !== null) tiers.push({ aboveTokens: Number(thousands) * 1000, price });
  }
  return tiers.sort((a, b) => a.aboveTokens - b.aboveTokens);
}

/**
 * The deployment's own prices over the listed ones. Who states a price for input has agreed on one: the list's price for
 * cached input does not belong to it, and the same holds for output.
 */
export function mergePrices(listed: Prices | null, own: Prices): Prices | null {
  const stated = Object.keys(own).length > 0;
  if (!listed) return stated ? own : null;
  const kept = Object.entries(listed).filter(([component]) => !isStated(own, component as PriceComponent));
  return { ...Object.fromEntries(kept), ...own };
}

function isStated(own: Prices, component: PriceComponent): boolean {
  const parent = PARENTS[component];
  return own[component] !== undefined || (parent !== undefined && isStated(own, parent));
}
