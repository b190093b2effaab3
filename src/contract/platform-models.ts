import Type, { type Static } from "typebox";

/** Schemas of the public catalogue. Prices are integer nano-USD for a million units, with the mark-up; null is not known. */
const PriceOrNull = Type.Union([Type.Integer(), Type.Null()], {
  description: "Nano-USD for a million; null is not known.",
});
const CountOrNull = Type.Union([Type.Integer(), Type.Null()]);

export const MODEL_CAPABILITIES = ["vision", "tools", "parallelTools", "json", "reasoning"] as const;
export type ModelCapability = (typeof MODEL_CAPABILITIES)[number];

export const MODEL_ORDERS = [
  "name",
  "-name",
  "inputPrice",
  "-inputPrice",
  "outputPrice",
  "-outputPrice",
  "contextLength",
  "-contextLength",
] as const;
export type ModelOrder = (typeof MODEL_ORDERS)[number];

export const PlatformModel = Type.Object({
  id: Type.String({ description: "The name to call it by." }),
  name: Type.String(),
  provider: Type.String(),
  providerName: Type.String(),
  type: Type.String({ description: "Such as chat or embedding." }),
  inferenceModelId: Type.String({ description: "Its name at the provider." }),
  contextLength: CountOrNull,
  maxOutputTokens: CountOrNull,
  inputPrice: PriceOrNull,
  outputPrice: PriceOrNull,
  cachedInputPrice: PriceOrNull,
  pricing: Type.Array(Type.Object({ component: Type.String(), price: Type.Integer() })),
  capabilities: Type.Record(Type.Enum(MODEL_CAPABILITIES), Type.Union([Type.Boolean(), Type.Null()])),
  supportedParams: Type.Array(Type.String()),
  status: Type.Enum(["active", "degraded", "unavailable"], {
    description: "`degraded` where some of its deployments rest or fail, `unavailable` where all do.",
  }),
});
export type PlatformModel = Static<typeof PlatformModel>;
