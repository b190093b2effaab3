import { decimalText } from "../contract/decimal-text.ts";
import { dollars, dollarText } from "../contract/money.ts";

export interface Priced {
  readonly component: string;
  /** Nano-USD for a million units, which are femto-USD for one. */
  readonly price: number;
}

const FEMTO_DIGITS = 15;
const MILLION_DIGITS = 6;

/** Prices that are not for tokens, and that nobody thinks of by the million. */
const UNITS: ReadonlySet<string> = new Set(["image", "second", "character", "request"]);
const isOfTokens = ({ component }: Priced): boolean => !UNITS.has(component);

/** What a model costs, as price lists tell it; null where it has no price. */
export function priceWords(pricing: readonly Priced[]): string | null {
  const tokens = pricing.filter(isOfTokens).map(({ component, price }) => `${component} ${dollars(price)}`);
  const units = pricing
    .filter((one) => !isOfTokens(one))
    .map(({ component, price }) => `${dollarText(decimalText(BigInt(price), FEMTO_DIGITS))} per ${component}`);
  const parts = [...(tokens.length === 0 ? [] : [`${tokens.join(", ")} per million tokens`]), ...units];
  return parts.length === 0 ? null : `Price: ${parts.join("; ")}.`;
}

const MODEST_MAX_USD = 1_000;
const MODEST_MAX_NANO = MODEST_MAX_USD * 1e9;

/** Price lists are for a million tokens: one that was copied from there is a million times too much. */
export function immodestPrices(pricing: readonly Priced[]): string | null {
  const meant = pricing
    .filter((one) => isOfTokens(one) && one.price > MODEST_MAX_NANO)
    .map(({ component, price }) => `${component}=${decimalText(BigInt(price), FEMTO_DIGITS + MILLION_DIGITS)}`);
  if (meant.length === 0) return null;
  const over = `--price is USD per token, and this is over $${MODEST_MAX_USD} per million.`;
  return `${over} Did you mean --price ${meant.join(" ")}?`;
}

/** What `--price` calls the fields that a configuration usually states. */
const COMPONENTS: Readonly<Record<string, string>> = {
  input_cost_per_token: "input",
  output_cost_per_token: "output",
  output_cost_per_image: "image",
  input_cost_per_second: "second",
  input_cost_per_character: "character",
  input_cost_per_query: "request",
};

/** The server's remark on a model in the words of who typed it: it speaks of the fields of a configuration. */
export const remarkInFlags = (remark: string): string =>
  remark
    .replace("set api_key in the deployment or ", "give it with --api-key-stdin or set ")
    .replace(
      /State (.+), in `model_info`\./,
      (_, ways: string) => `Give ${ways.split(", or ").map(wayInFlags).join(", or ")}.`,
    )
    .replace(/^litellm_params\.(?=[\w.]+: )/, "--param ")
    .replace(/^model_info\.(?=[\w.]+: )/, "--info ");

function wayInFlags(way: string): string {
  if (way === "`free: true`") return "`--info free=true`";
  const names = [...way.matchAll(/`(\w+)`/g)].map(([, name = ""]) => COMPONENTS[name] ?? name);
  return `\`--price ${names.map((name) => `${name}=...`).join(" ")}\``;
}
