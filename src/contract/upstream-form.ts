import type { Deployment } from "./deployment.ts";

/** In the name of a model: it is called through OpenAI's Responses. */
const PREFIX = "responses/";

/** Models that OpenAI has nowhere but there. */
const ONLY_THERE = /^(?:o\d+-pro|gpt-\d[\d.]*-(?:pro|codex)|codex-|o\d+(?:-mini)?-deep-research|computer-use-)/;

/** Where a deployment's address leads to OpenAI's own service; servers that only speak its interface may have any model as a chat. */
const OWN_SERVICE = /^https:\/\/(?:[a-z]{2}\.)?api\.openai\.com(?:[:/]|$)/i;

/** Whether a provider has models that are called so. */
export const hasResponses = (provider: string): boolean => provider === "openai" || provider === "azure";

type Described = Pick<Deployment, "provider" | "apiBase" | "info">;
type Formed = Pick<Deployment, "upstreamModel" | "form">;

/**
 * The model that a name stands for at its provider, and the form in which it is called there: by `responses/` before the name, by
 * `mode` of the model's information, or because the provider has it in no other.
 */
export function upstreamForm({ provider, apiBase, info }: Described, model: string): Formed {
  if (!hasResponses(provider)) return { upstreamModel: model };
  const isNamed = model.startsWith(PREFIX) && model.length > PREFIX.length;
  const upstreamModel = isNamed ? model.slice(PREFIX.length) : model;
  if (isNamed || info.mode === "responses") return { upstreamModel, form: "responses" };
  if (info.mode !== undefined) return { upstreamModel };
  const isTheirs = provider === "azure" || apiBase === null || OWN_SERVICE.test(apiBase);
  return isTheirs && ONLY_THERE.test(baseModel(info) ?? model.replace(/^(?:openai|azure)\//, ""))
    ? { upstreamModel, form: "responses" }
    : { upstreamModel };
}

/** What a deployment says that it is, without the provider and the region that a list of prices has before it. */
const baseModel = ({ base_model: base }: Deployment["info"]): string | null =>
  typeof base === "string" && base !== "" ? base.slice(base.lastIndexOf("/") + 1) : null;

/** The model by which to know what a deployment takes: one of Azure is called what its operator likes. */
export const modelBehind = ({
  provider,
  upstreamModel,
  info,
}: Pick<Deployment, "provider" | "upstreamModel"> & Partial<Pick<Deployment, "info">>): string =>
  (provider.startsWith("azure") ? baseModel(info ?? {}) : null) ?? upstreamModel;

/** The deployment with another model's name in the place of its own. */
export const withModel = (deployment: Deployment, model: string): Deployment => ({
  ...deployment,
  ...upstreamForm(deployment, model),
});

/** The model as a configuration writes it behind the provider. */
export const writtenModel = ({ upstreamModel, form }: Formed): string =>
  form === undefined ? upstreamModel : PREFIX + upstreamModel;
