/** What prices are read from, on every page that has models. */
export interface PricedModel {
  readonly type: string;
  /** In nano-USD for a million of each component. */
  readonly pricing: readonly { readonly component: string; readonly price: number | bigint }[];
}

export interface ShownPrice {
  readonly component: string;
  readonly label: string;
  /** In nano-USD, for `unit`. */
  readonly nano: bigint;
  readonly unit: string;
}

interface Component {
  readonly label: string;
  /** What is counted, one and many of it. */
  readonly one: string;
  readonly many: string;
}

const TOKENS = { one: "token", many: "1M tokens" };
const COMPONENTS: Readonly<Record<string, Component>> = {
  input: { label: "Input", ...TOKENS },
  output: { label: "Output", ...TOKENS },
  cache_read: { label: "Cached input", ...TOKENS },
  cache_read_audio: { label: "Cached sound in", ...TOKENS },
  cache_write: { label: "Writing to the cache", ...TOKENS },
  cache_write_1h: { label: "Writing to the cache for an hour", ...TOKENS },
  reasoning: { label: "Reasoning", ...TOKENS },
  audio_input: { label: "Sound in", ...TOKENS },
  audio_output: { label: "Sound out", ...TOKENS },
  image_input: { label: "Pictures in", ...TOKENS },
  image_output: { label: "Pictures out", ...TOKENS },
  image: { label: "Picture", one: "picture", many: "1M pictures" },
  second: { label: "Sound", one: "second", many: "1M seconds" },
  character: { label: "Text", one: "character", many: "1M characters" },
  request: { label: "Call", one: "call", many: "1M calls" },
};

/** Components whose price people think of for one of them. */
const SINGLE: ReadonlySet<string> = new Set(["image", "second", "request"]);

/** What calls of a kind are charged by, the first that is priced. */
const CHARGED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  embedding: [["input"], ["request"]],
  moderation: [["input"], ["request"]],
  image: [["image"], ["image_output"], ["output"], ["request"]],
  audio_speech: [["character"], ["second"], ["audio_output"], ["request"]],
  audio_transcription: [["second"], ["audio_input"], ["request"]],
  rerank: [["request"], ["input"]],
};
const TEXT: readonly (readonly string[])[] = [["input", "output"], ["request"]];

/** The prices that calls of the model are charged by; none where they are not known. */
export function headlinePrices({ type, pricing }: PricedModel): ShownPrice[] {
  const listed = new Map(pricing.map(({ component, price }) => [component, price]));
  const charged = (CHARGED[type] ?? TEXT).find((names) => names.every((name) => listed.has(name))) ?? [];
  return charged.map((name) => shownPrice(name, listed.get(name) ?? 0));
}

const allPrices = ({ pricing }: Pick<PricedModel, "pricing">): ShownPrice[] =>
  pricing.map(({ component, price }) => shownPrice(component, price));

/** Every price that says something: one of nothing beside what calls are charged by does not. */
export function tellingPrices(model: PricedModel): ShownPrice[] {
  const charged = new Set(headlinePrices(model).map(({ component }) => component));
  return allPrices(model).filter(({ component, nano }) => nano !== 0n || charged.has(component));
}

export const isByToken = ({ unit }: ShownPrice): boolean => unit === TOKENS.many;

const MILLION = 1_000_000n;

/** The catalogue has prices for a million; a single one is shown where it comes out even. */
export function shownPrice(component: string, price: number | bigint): ShownPrice {
  const { label, one, many } = COMPONENTS[component] ?? { label: component, one: "unit", many: "1M units" };
  const nano = BigInt(price);
  const isSingle = SINGLE.has(component) && nano % MILLION === 0n;
  return isSingle ? { component, label, nano: nano / MILLION, unit: one } : { component, label, nano, unit: many };
}
