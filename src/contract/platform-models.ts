import Type, { type Static } from "typebox";
import { Instant } from "./users.ts";

/** Schemas of the public catalogue. Prices are integer nano-USD for a million units, with the mark-up; null is not known. */
const PriceOrNull = Type.Union([Type.Integer(), Type.Null()], {
  description: "Nano-USD for a million; null is not known.",
});
const CountOrNull = Type.Union([Type.Integer(), Type.Null()]);

export const MODEL_CAPABILITIES = ["vision", "tools", "parallelTools", "json", "reasoning", "streaming"] as const;
export type ModelCapability = (typeof MODEL_CAPABILITIES)[number];

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

export const PlatformModel = Type.Object({
  id: Type.String({ description: "The name to call it by." }),
  name: Type.String(),
  provider: Type.String(),
  providerName: Type.String(),
  type: Type.String({ description: "Such as chat or embedding." }),
  inferenceModelId: Type.String({ description: "Its name at the provider." }),
  description: Type.Union([Type.String(), Type.Null()], { description: "`description` of its `model_info`." }),
  contextLength: CountOrNull,
  maxOutputTokens: CountOrNull,
  inputPrice: PriceOrNull,
  outputPrice: PriceOrNull,
  cachedInputPrice: PriceOrNull,
  pricing: Type.Array(Type.Object({ component: Type.String(), price: Type.Integer() })),
  priceStatus: Type.Enum(["known", "free", "unknown"], {
    description:
      "`free` where its calls cost nothing, whatever `pricing` says; `unknown` where nobody can be charged for them, so that calls " +
      "with keys are refused (400 `price_unknown`).",
  }),
  capabilities: Type.Record(Type.Enum(MODEL_CAPABILITIES), Type.Union([Type.Boolean(), Type.Null()])),
  supportedParams: Type.Array(Type.String()),
  status: Type.Enum(["active", "degraded", "unavailable"], {
    description:
      "`degraded` where some of its deployments rest, fail or lack what the operator has yet to set, `unavailable` where all do.",
  }),
  createdAt: Type.Union([Instant, Type.Null()], { description: "Null for models of the configuration file." }),
});
export type PlatformModel = Static<typeof PlatformModel>;

export const PlatformProvider = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: TextOrNull,
  website: Type.Union([Type.String(), Type.Null()], { description: "Where the provider describes its models." }),
  logoUrl: TextOrNull,
  status: Type.Enum(["operational", "degraded", "down"], {
    description: "`degraded` where some of its models are not well, `down` where none can be called.",
  }),
  modelsCount: Type.Integer(),
  types: Type.Array(Type.String()),
});
export type PlatformProvider = Static<typeof PlatformProvider>;
