import { parseScaled } from "./decimal.ts";
import {
  PARENTS,
  PRICE_COMPONENTS,
  type Price,
  type PriceComponent,
  type Prices,
  parsePrice,
  type ServiceTier,
} from "./price.ts";

/** The names that a configuration has for each price, in USD per unit; the first that is there counts. */
export const PRICE_FIELDS: Readonly<Record<PriceComponent, readonly string[]>> = {
  input: ["input_cost_per_token"],
  output: ["output_cost_per_token"],
  cache_read: ["cache_read_input_token_cost"],
  cache_read_audio: ["cache_read_input_audio_token_cost"],
  cache_write: ["cache_creation_input_token_cost"],
  cache_write_1h: ["cache_creation_input_token_cost_above_1hr"],
  reasoning: ["output_cost_per_reasoning_token"],
  audio_input: ["input_cost_per_audio_token"],
  audio_output: ["output_cost_per_audio_token"],
  image_input: ["input_cost_per_image_token"],
  image_output: ["output_cost_per_image_token"],
  image: ["output_cost_per_image", "input_cost_per_image"],
  second: ["output_cost_per_second", "input_cost_per_second"],
  character: ["input_cost_per_character", "output_cost_per_character"],
  request: ["input_cost_per_query"],
};

/** What the names of a service tier's prices end in. */
const SERVICE_SUFFIXES: readonly (readonly [Exclude<ServiceTier, "standard">, suffix: string])[] = [
  ["flex", "_flex"],
  ["priority", "_priority"],
  ["batch", "_batches"],
];

const TIER = /^_above_(\d{1,6})k_tokens$/;

type Fields = Readonly<Record<string, unknown>>;

/** The prices that a deployment states itself. */
export function readOwnPrices(fields: Fields): Prices {
  const prices: Partial<Record<PriceComponent, Price>> = {};
  for (const [component, names] of Object.entries(PRICE_FIELDS) as [PriceComponent, readonly string[]][]) {
    for (const name of names) {
      const price = readPrice(fields, name, "");
      if (price === null) continue;
      const services = readServices(fields, name);
      prices[component] = services ? { ...price, services } : price;
      break;
    }
  }
  return prices;
}

function readPrice(fields: Fields, name: string, suffix: string): Price | null {
  const base = parsePrice(fields[name + suffix]);
  return base === null ? null : { base, tiers: readTiers(fields, name, suffix) };
}

function readServices(fields: Fields, name: string): Price["services"] {
  const found = SERVICE_SUFFIXES.flatMap(([tier, suffix]) => {
    const price = readPrice(fields, name, suffix);
    return price ? [[tier, price] as const] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** `<name>_above_200k_tokens`, and for a service tier `<name>_above_200k_tokens_priority`. */
function readTiers(fields: Fields, name: string, suffix: string): Price["tiers"] {
  const tiers: { aboveTokens: number; price: bigint }[] = [];
  for (const [key, value] of Object.entries(fields)) {
    const isOurs = key.startsWith(name) && key.endsWith(suffix);
    const thousands = isOurs ? TIER.exec(key.slice(name.length, key.length - suffix.length))?.[1] : undefined;
    const price = thousands === undefined ? null : parsePrice(value);
    if (price !== null) tiers.push({ aboveTokens: Number(thousands) * 1000, price });
  }
  return tiers.sort((a, b) => a.aboveTokens - b.aboveTokens);
}

/** What a name ends in after that of a price: a tier, a service tier, or both. */
const ENDING = /^(_above_\d{1,6}k_tokens)?(_flex|_priority|_batches)?$/;

/** What the price under a name is for; null where `readOwnPrices` reads no price under it. */
export function componentOf(field: string): PriceComponent | null {
  const isOurs = (name: string) => field.startsWith(name) && ENDING.test(field.slice(name.length));
  return PRICE_COMPONENTS.find((component) => PRICE_FIELDS[component].some(isOurs)) ?? null;
}

export interface PriceField {
  readonly field: string;
  readonly component: PriceComponent;
  /** Femto-USD per unit. */
  readonly price: bigint;
}

/** The names that a price list is written under: what `readOwnPrices` reads, the other way round. */
export function priceFieldsOf(prices: Prices): PriceField[] {
  return PRICE_COMPONENTS.flatMap((component) => {
    const price = prices[component];
    const [name] = PRICE_FIELDS[component];
    return price && name !== undefined ? fieldsOfPrice(component, name, price, "") : [];
  });
}

function fieldsOfPrice(component: PriceComponent, name: string, price: Price, suffix: string): PriceField[] {
  return [
    { field: name + suffix, component, price: price.base },
    ...price.tiers.map((tier) => ({
      field: `${name}_above_${Math.round(tier.aboveTokens / 1000)}k_tokens${suffix}`,
      component,
      price: tier.price,
    })),
    ...SERVICE_SUFFIXES.flatMap(([service, ending]) => {
      const own = price.services?.[service];
      return own ? fieldsOfPrice(component, name, own, ending) : [];
    }),
  ];
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

const PERCENT_DIGITS = 2;

/** What is put on top of the provider's price, in hundredths of a percent; what is finer is rounded up. */
export const readMarkup = (info: Fields): bigint | null => parseScaled(info.markup_percent, PERCENT_DIGITS);
