import Type from "typebox";
import type { ModelBook } from "../../catalog/model-facts.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import {
  GOOGLE_PAGE,
  GOOGLE_PAGE_MAX,
  GoogleModel,
  GoogleModelList,
  GooglePage,
} from "../../contract/generate-content.ts";
import { findVisible, type VisibleModel, visibleModels } from "../../gateway/info/visible-models.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { ModelDeps } from "./model-deps.ts";
import { unknownModel } from "./unknown-model.ts";

/** Models as Google's clients ask for them. */
export const googleModels = (deps: ModelDeps): Route[] => [
  route({
    method: "GET",
    paths: ["/v1beta/models"],
    tag: "Models",
    summary: "List the models that the key may call, in Google's form",
    auth: "key",
    query: GooglePage,
    success: GoogleModelList,
    errors: ["invalid_request"],
    handle: ({ caller, query }) => listForGoogle(deps, caller, query),
  }),
  route({
    method: "GET",
    paths: ["/v1beta/models/{model...}"],
    tag: "Models",
    summary: "Describe a model in Google's form",
    description: "A name with slashes may be sent as it is or encoded.",
    auth: "key",
    params: Type.Object({ model: Type.String() }),
    success: GoogleModel,
    errors: ["model_not_found"],
    async handle({ caller, params }) {
      const found = findVisible(deps.catalog(), caller, params.model);
      if (!found) throw unknownModel(params.model);
      return describeForGoogle(deps, found);
    },
  }),
];

/** Google's newest clients ask under `/v1`, where OpenAI's do: the header that has the key tells them apart. */
export const isOfGoogle = ({ headers }: Request): boolean => headers.has("x-goog-api-key");

/** One page of the models that a caller can see. */
export async function listForGoogle(deps: ModelDeps, caller: KeyCaller, query: GooglePage): Promise<Response> {
  const all = await visibleModels(deps, caller);
  const book = await deps.prices.book();
  const start = startOf(query.pageToken);
  const end = start + Math.min(query.pageSize || GOOGLE_PAGE, GOOGLE_PAGE_MAX);
  const models = all.slice(start, end).map((model) => describe(model, book, deps.clock.nowMs()));
  return json({ models, ...(end < all.length && { nextPageToken: String(end) }) });
}

export const describeForGoogle = async (deps: ModelDeps, model: VisibleModel): Promise<Response> =>
  json(describe(model, await deps.prices.book(), deps.clock.nowMs()));

function startOf(token: string | undefined): number {
  if (token === undefined) return 0;
  if (/^\d{1,9}$/.test(token)) return Number(token);
  throw new GatewayError("invalid_request", "There is no such page.", { param: "pageToken" });
}

/** Of a group the first deployment is told of, as `GET /v1/models` does. */
function describe({ name, deployments: [first] }: VisibleModel, book: ModelBook, nowMs: number): GoogleModel {
  const facts = first ? book.factsFor(first, nowMs) : null;
  return {
    name: `models/${name}`,
    baseModelId: name,
    version: "1",
    displayName: name,
    description: "",
    ...(facts?.maxInputTokens && { inputTokenLimit: facts.maxInputTokens }),
    ...(facts?.maxOutputTokens && { outputTokenLimit: facts.maxOutputTokens }),
    supportedGenerationMethods: methodsOf(facts?.mode ?? "chat"),
  };
}

function methodsOf(mode: string): string[] {
  if (mode === "embedding") return ["embedContent", "batchEmbedContents"];
  return mode === "chat" || mode === "responses" ? ["generateContent", "countTokens"] : [];
}
