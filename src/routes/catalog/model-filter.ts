import Type, { type Static } from "typebox";
import { MODEL_CAPABILITIES, type PlatformModel } from "../../contract/platform-models.ts";
import { sortingOf, sortQuery, sortRows } from "../../contract/sorting.ts";

/** By which the public catalogue is searched, narrowed and sorted. */
export const MODEL_FILTERS = {
  search: Type.Optional(Type.String({ maxLength: 100, description: "Part of the id or of the provider's name." })),
  type: Type.Optional(Type.String({ maxLength: 50, description: "Such as chat or embedding." })),
  provider: Type.Optional(Type.String({ maxLength: 100 })),
  capability: Type.Optional(Type.Enum(MODEL_CAPABILITIES, { description: "Models that are known to have it." })),
  minContext: Type.Optional(Type.Integer({ minimum: 0, description: "At least so many tokens of context." })),
  maxInputPrice: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: "At most so many nano-USD for a million tokens of input; 0 are free ones.",
    }),
  ),
  ...sortQuery(["name", "inputPrice", "outputPrice", "contextLength"], "as the configuration has them"),
};
const BY_NAME = { by: "name", direction: "asc" } as const;
const Filters = Type.Object(MODEL_FILTERS);
export type ModelFilters = Static<typeof Filters>;

export function filterModels(models: readonly PlatformModel[], filters: ModelFilters): readonly PlatformModel[] {
  const found = models.filter((model) => fits(model, filters));
  if (filters.sort !== undefined) return sortRows(found, sortingOf(filters, BY_NAME), asCharged);
  return filters.order === "desc" ? found.toReversed() : found;
}

function fits(model: PlatformModel, filters: ModelFilters): boolean {
  const { inputPrice } = asCharged(model);
  const { search = "", type, provider, capability, minContext, maxInputPrice } = filters;
  return (
    `${model.id} ${model.providerName}`.toLowerCase().includes(search.toLowerCase()) &&
    (type === undefined || model.type === type) &&
    (provider === undefined || model.provider === provider) &&
    (capability === undefined || model.capabilities[capability] === true) &&
    (minContext === undefined || (model.contextLength ?? 0) >= minContext) &&
    (maxInputPrice === undefined || (inputPrice !== null && inputPrice <= maxInputPrice))
  );
}

/** What is free costs nothing, whatever stands in a price list or does not. */
const asCharged = (model: PlatformModel): PlatformModel =>
  model.priceStatus === "free" ? { ...model, inputPrice: 0, outputPrice: 0 } : model;
