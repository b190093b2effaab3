import { chargedPrices } from "../../catalog/charged-prices.ts";
import { basePrice, type ModelFacts } from "../../catalog/model-facts.ts";
import { PRICE_COMPONENTS, type Price } from "../../catalog/price.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { PlatformModel } from "../../contract/platform-models.ts";
import { writtenModel } from "../../contract/upstream-form.ts";
import { findProvider } from "../../providers/registry.ts";
import { operationOfMode, supportedParams } from "./supported-params.ts";

/** A model as the platform's lists show it. Prices are integer nano-USD for a million units; null is not known. */
export function describePlatformModel(group: string, deployment: Deployment, facts: ModelFacts): object {
  const params = supportedParams(deployment) ?? [];
  const price = (base: bigint | null | undefined) => (base === null || base === undefined ? null : perMillion(base));
  return {
    id: group,
    name: group,
    provider: deployment.provider,
    providerName: findProvider(deployment.provider)?.title ?? deployment.provider,
    type: TYPES[facts.mode] ?? facts.mode,
    inferenceModelId: writtenModel(deployment),
    description: textOr(deployment.info.description),
    contextLength: facts.maxInputTokens,
    maxOutputTokens: facts.maxOutputTokens,
    inputPrice: price(basePrice(facts.prices, "input")),
    outputPrice: price(basePrice(facts.prices, "output")),
    cachedInputPrice: price(facts.prices?.cache_read?.base),
    pricing: PRICE_COMPONENTS.flatMap((component) => {
      const listed: Price | undefined = facts.prices?.[component];
      return listed ? [{ component, price: perMillion(listed.base) }] : [];
    }),
    priceStatus: priceStatusOf(deployment, facts),
    capabilities: {
      vision: facts.supportsVision,
      tools: facts.supportsFunctionCalling,
      parallelTools: facts.supportsParallelFunctionCalling,
      json: facts.supportsResponseSchema,
      reasoning: facts.supportsReasoning,
      streaming: params.includes("stream"),
    },
    supportedParams: params,
    status: "active",
    createdAt: deployment.stored === true ? textOr(deployment.info.created_at) : null,
  };
}

/** Whether calls of a deployment can be charged, as they are when they come. */
export function priceStatusOf({ info }: Deployment, { mode, prices }: ModelFacts): PlatformModel["priceStatus"] {
  if (info.free === true) return "free";
  const operation = operationOfMode(mode);
  return prices && (operation === null || chargedPrices(prices, operation)) ? "known" : "unknown";
}

const textOr = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The catalogue's modes under the names that the platform has for kinds of models. */
const TYPES: Readonly<Record<string, string>> = { image_generation: "image", responses: "chat" };

/** Femto-USD for one unit are nano-USD for a million. */
const perMillion = (femto: bigint): number => Number(femto);
