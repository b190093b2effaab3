import { isRecord } from "../lib/json.ts";
import {
  PRICE_COMPONENTS,
  type Price,
  type PriceComponent,
  type Prices,
  parsePricePer,
  SERVICE_TIERS,
  type ServiceTier,
} from "./price.ts";

/** Prices of the table are in USD per million units. */
const UNITS_EXPONENT = 6;
/** 8 USD per unit: a number is exact to the femto-USD up to here, and a larger price is a mistake. */
const FEMTO_MAX = 8_000_000_000_000_000n;
const MINUTES_PER_DAY = 24 * 60;
const TOKENS_MAX = 1_000_000_000;

/** Prices that replace the usual ones from a day on, or at certain hours (UTC). */
export interface PriceChange {
  readonly fromMs: number | null;
  /** Minutes of the day: from, to. Null: the whole day. */
  readonly hours: readonly (readonly [number, number])[] | null;
  /** 1 is Monday, 7 is Sunday. Null: every day. */
  readonly days: ReadonlySet<number> | null;
  readonly prices: Prices;
}

export function isActive({ fromMs, hours, days }: PriceChange, atMs: number): boolean {
  if (fromMs !== null && atMs < fromMs) return false;
  const at = new Date(atMs);
  if (days !== null && !days.has(at.getUTCDay() || 7)) return false;
  const minute = at.getUTCHours() * 60 + at.getUTCMinutes();
  return hours === null || hours.some(([from, to]) => minute >= from && minute < to);
}

/** Reads `prices` of an entry; what is wrong is added to `faults`. Null: there is no price. */
export function readTablePrices(given: unknown, faults: string[]): Prices | null {
  if (given === undefined) return null;
  if (!isRecord(given)) {
    faults.push("`prices` must be an object");
    return null;
  }
  const prices: Partial<Record<PriceComponent, Price>> = {};
  for (const [component, value] of Object.entries(given)) {
    if (!isComponent(component)) {
      faults.push(`Unknown price \`${component.slice(0, 40)}\``);
      continue;
    }
    const price = readPrice(value, component, faults);
    if (price) prices[component] = price;
  }
  return Object.keys(prices).length === 0 ? null : prices;
}

/** Reads `changes` of an entry. */
export function readPriceChanges(given: unknown, faults: string[]): PriceChange[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) {
    faults.push("`changes` must be a list");
    return [];
  }
  return given.flatMap((one: unknown) => readChange(one, faults) ?? []);
}

function readChange(given: unknown, faults: string[]): PriceChange | null {
  const before = faults.length;
  if (!isRecord(given)) faults.push("a change must be an object");
  const { from, hours, days, prices } = isRecord(given) ? given : {};
  const fromMs = from === undefined ? null : Date.parse(`${String(from)}T00:00:00Z`);
  if (fromMs !== null && Number.isNaN(fromMs)) faults.push("`from` must be a day such as 2026-11-19");
  const ranges = hours === undefined ? null : (Array.isArray(hours) ? hours : [hours]).map(readHours);
  if (ranges?.some((range) => range === null)) faults.push("`hours` must be ranges such as 00:30-16:30");
  const isDays =
    days === undefined || (Array.isArray(days) && days.every((day) => Number(day) >= 1 && Number(day) <= 7));
  if (!isDays) faults.push("`days` must be numbers from 1 (Monday) to 7");
  if (from === undefined && hours === undefined && days === undefined) {
    faults.push("a change must have `from`, `hours` or `days`");
  }
  const read = readTablePrices(prices, faults);
  if (!read) faults.push("a change must have prices");
  if (faults.length > before || !read) return null;
  return {
    fromMs,
    hours: ranges?.filter((range) => range !== null) ?? null,
    days: Array.isArray(days) ? new Set(days.map(Number)) : null,
    prices: read,
  };
}

/** `16:30-00:00` ends with the day. */
function readHours(text: unknown): readonly [number, number] | null {
  const found = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(String(text));
  if (!found) return null;
  const [from = 0, fromMinute = 0, to = 0, toMinute = 0] = found.slice(1).map(Number);
  const end = to * 60 + toMinute;
  return [from * 60 + fromMinute, end === 0 ? MINUTES_PER_DAY : end];
}

/** A number, or an object with `base`, the prices `above` a length of the prompt, and those of service tiers. */
function readPrice(given: unknown, component: string, faults: string[]): Price | null {
  if (!isRecord(given)) {
    const base = readAmount(given, component, faults);
    return base === null ? null : { base, tiers: [] };
  }
  const base = readAmount(given.base, component, faults);
  const tiers: { aboveTokens: number; price: bigint }[] = [];
  for (const [tokens, value] of Object.entries(isRecord(given.above) ? given.above : {})) {
    const price = readAmount(value, component, faults);
    const isLength = /^[1-9]\d*$/.test(tokens) && Number(tokens) <= TOKENS_MAX;
    if (!isLength) faults.push(`\`${component}\`: \`above\` must name numbers of tokens`);
    if (price !== null && isLength) tiers.push({ aboveTokens: Number(tokens), price });
  }
  const services: Partial<Record<Exclude<ServiceTier, "standard">, Price>> = {};
  for (const [name, value] of Object.entries(given)) {
    if (name === "base" || name === "above") continue;
    const tier = SERVICE_TIERS.find((one) => one === name && one !== "standard");
    const price = tier === undefined ? null : readPrice(value, component, faults);
    if (tier === undefined) faults.push(`\`${component}\`: Unknown field \`${name.slice(0, 40)}\``);
    else if (price) services[tier as Exclude<ServiceTier, "standard">] = price;
  }
  if (base === null) return null;
  const price = { base, tiers: tiers.sort((a, b) => a.aboveTokens - b.aboveTokens) };
  return Object.keys(services).length === 0 ? price : { ...price, services };
}

/** Zero is refused: a model without a price would be given away. `free: true` states that on purpose. */
function readAmount(value: unknown, component: string, faults: string[]): bigint | null {
  const amount = typeof value === "number" ? parsePricePer(value, UNITS_EXPONENT) : null;
  if (amount === null) faults.push(`\`${component}\` must be USD per million units, above 0`);
  else if (amount === 0n) faults.push(`\`${component}\` is 0; leave the price out, or state \`free: true\``);
  else if (amount > FEMTO_MAX) faults.push(`\`${component}\` is more than 8 USD per unit`);
  else return amount;
  return null;
}

const isComponent = (name: string): name is PriceComponent => PRICE_COMPONENTS.some((one) => one === name);
