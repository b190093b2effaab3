import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import { RouterActivity, RouterActivityQuery } from "../../contract/openrouter.ts";
import { CALL_STATUSES } from "../../contract/usage.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { findProvider } from "../../providers/registry.ts";
import type { TimeRange } from "../../usage/buckets.ts";
import type { UsageGroup } from "../../usage/store.ts";
import { usd } from "../spend/usd.ts";
import type { UsageRouteDeps } from "../usage/usage-deps.ts";
import { ownCalls } from "../usage/whose-calls.ts";
import { ROUTER_BASE } from "./under-api.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 30;

/** What was never sent is no activity. */
const SENT = CALL_STATUSES.filter((status) => status !== "rejected");

export const activity = (deps: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: [`${ROUTER_BASE}/activity`],
    tag: "OpenRouter",
    summary: "Sum up usage by day, model and provider, as OpenRouter does",
    description:
      `Of the last ${DAYS} days of UTC that are over, or of one of them or of today by \`date\`. With a management token, as there with a ` +
      "management key; of what it may see of its organization. `GET /api/gw/usage` sums up in more ways.",
    auth: "session",
    scope: "usage:read",
    query: RouterActivityQuery,
    success: Type.Object({ data: Type.Array(RouterActivity) }),
    errors: ["not_found", "invalid_request"],
    async handle({ caller, query, request }) {
      const days = daysOf(query.date, deps.clock.nowMs());
      const { scope } = await ownCalls(deps, caller, request, { apiKey: query.api_key_hash ?? "" });
      const groups = await deps.usage.sum({ ...scope, statuses: SENT }, days, ["model", "provider"]);
      // The newest day first.
      return json({ data: groups.map(rowOf).sort((one, other) => (one.date < other.date ? 1 : -1)) });
    },
  });

function daysOf(date: string | undefined, now: number): readonly TimeRange[] {
  const today = now - (now % DAY_MS);
  const all = Array.from({ length: DAYS + 1 }, (_, index) => today + (index - DAYS) * DAY_MS);
  const wanted = date === undefined ? all.slice(0, -1) : all.filter((start) => dateOf(start) === date);
  if (wanted.length === 0)
    throw new GatewayError(
      "invalid_request",
      `\`date\` is one of the last ${DAYS} days of UTC, such as ${dateOf(today)}.`,
      {
        param: "date",
      },
    );
  return wanted.map((start) => ({ start, end: start + DAY_MS }));
}

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

function rowOf({ start, values, sums }: UsageGroup) {
  const [model, provider] = [String(values.model ?? ""), String(values.provider ?? "")];
  return {
    date: dateOf(start),
    model,
    model_permaslug: model,
    endpoint_id: provider,
    provider_name: findProvider(provider)?.title ?? provider,
    usage: usd(sums.cost),
    byok_usage_inference: 0,
    requests: Number(sums.requests),
    prompt_tokens: Number(sums.promptTokens),
    completion_tokens: Number(sums.completionTokens),
    reasoning_tokens: Number(sums.reasoningTokens),
  };
}
