import { flatPrice, type Price, type Prices, parsePricePer } from "../../src/catalog/price.ts";
import { type SourceModel, type SourceModels, withoutZeros } from "./entry.ts";

/** A chat model of `dist/providers/data/*.json`. Prices are in USD per million tokens. */
interface PiModel {
  readonly id: string;
  readonly type: string;
  readonly reasoning?: boolean;
  readonly input: readonly string[];
  readonly cost: PiCost & { readonly tiers?: readonly (PiCost & { readonly inputTokensAbove: number })[] };
  readonly contextWindow: number;
  readonly maxTokens?: number;
}

interface PiCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The names of providers in the package, and ours. Subscriptions are left out. */
export const PI_PROVIDERS: Readonly<Record<string, string>> = {
  "amazon-bedrock": "bedrock",
  anthropic: "anthropic",
  azure: "azure",
  baseten: "baseten",
  cerebras: "cerebras",
  "cloudflare-workers-ai": "cloudflare",
  deepseek: "deepseek",
  fireworks: "fireworks_ai",
  google: "gemini",
  "google-vertex": "vertex_ai",
  groq: "groq",
  huggingface: "huggingface",
  meta: "meta_llama",
  minimax: "minimax",
  mistral: "mistral",
  moonshotai: "moonshot",
  nvidia: "nvidia_nim",
  openai: "openai",
  openrouter: "openrouter",
  together: "together_ai",
  "vercel-ai-gateway": "vercel_ai_gateway",
  xai: "xai",
  xiaomi: "xiaomi_mimo",
  zai: "zai",
};

/** The data of all providers: by provider, interface and model. */
export function readPiAi(data: Readonly<Record<string, unknown>>): SourceModels {
  const models = new Map<string, SourceModel>();
  for (const [name, provider] of Object.entries(PI_PROVIDERS)) {
    const interfaces = Object.values((data[name] ?? {}) as Record<string, Record<string, PiModel>>);
    for (const model of interfaces.flatMap((one) => Object.values(one))) {
      if (model.type === "chat") models.set(`${provider}/${model.id}`, readModel(model));
    }
  }
  return models;
}

/** The package lists only chat models that call tools. */
function readModel({ reasoning, input, cost, contextWindow, maxTokens }: PiModel): SourceModel {
  const words = { vision: input.includes("image"), tools: true, ...(reasoning === undefined ? {} : { reasoning }) };
  const named = Object.entries(words);
  return {
    context: contextWindow > 0 ? contextWindow : null,
    output: maxTokens !== undefined && maxTokens > 0 ? maxTokens : null,
    can: named.filter(([, can]) => can).map(([word]) => word),
    cannot: named.filter(([, can]) => !can).map(([word]) => word),
    prices: withoutZeros(pricesOf(cost)),
    changes: [],
  };
}

const COMPONENTS = { input: "input", output: "output", cacheRead: "cache_read", cacheWrite: "cache_write" } as const;

function pricesOf(cost: PiModel["cost"]): Prices {
  const amount = (value: number) => parsePricePer(value, 6) ?? 0n;
  const named = Object.entries(COMPONENTS) as [keyof PiCost, (typeof COMPONENTS)[keyof PiCost]][];
  return Object.fromEntries(
    named.map(([field, component]): [string, Price] => {
      const tiers = (cost.tiers ?? []).map((tier) => ({
        aboveTokens: tier.inputTokensAbove,
        price: amount(tier[field]),
      }));
      return [component, { ...flatPrice(amount(cost[field])), tiers }];
    }),
  );
}
