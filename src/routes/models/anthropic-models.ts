import type { ModelBook } from "../../catalog/model-facts.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import {
  ANTHROPIC_PAGE,
  type AnthropicModel,
  type AnthropicPage,
  MODEL_CREATED_SECONDS,
} from "../../contract/models.ts";
import { type VisibleModel, visibleModels } from "../../gateway/info/visible-models.ts";
import { json } from "../../http/reply.ts";
import type { ModelDeps } from "./model-deps.ts";

/** Anthropic's clients send this header with every request. */
export const isOfAnthropic = ({ headers }: Request): boolean => headers.has("anthropic-version");

/** One page of the models that a caller may call, in Anthropic's form. */
export async function listForAnthropic(deps: ModelDeps, caller: KeyCaller, query: AnthropicPage): Promise<Response> {
  const all = await visibleModels(deps, caller);
  const names = all.map(({ name }) => name);
  const limit = query.limit ?? ANTHROPIC_PAGE;
  const start = query.after_id ? placeOf(names, query.after_id, "after_id") + 1 : 0;
  const end = query.before_id ? placeOf(names, query.before_id, "before_id") : names.length;
  // With `before_id`, a page has the models directly before that one.
  const from = query.before_id ? Math.max(start, end - limit) : start;
  const shown = all.slice(from, Math.min(end, from + limit));
  const book = await deps.prices.book();
  return json({
    data: shown.map((model) => describe(model, book, deps.clock.nowMs())),
    first_id: shown[0]?.name ?? null,
    last_id: shown.at(-1)?.name ?? null,
    has_more: query.before_id ? from > start : from + shown.length < end,
  });
}

export const describeForAnthropic = async (deps: ModelDeps, model: VisibleModel): Promise<Response> =>
  json(describe(model, await deps.prices.book(), deps.clock.nowMs()));

function placeOf(names: readonly string[], name: string, param: string): number {
  const place = names.indexOf(name);
  if (place >= 0) return place;
  throw new GatewayError("invalid_request", `\`${param}\` names no model that this key may call.`, { param });
}

function describe({ name, deployments: [first] }: VisibleModel, book: ModelBook, nowMs: number): AnthropicModel {
  const facts = first ? book.factsFor(first, nowMs) : null;
  return {
    type: "model",
    id: name,
    display_name: name,
    created_at: new Date(MODEL_CREATED_SECONDS * 1000).toISOString(),
    max_input_tokens: facts?.maxInputTokens ?? null,
    max_tokens: facts?.maxOutputTokens ?? null,
  };
}
