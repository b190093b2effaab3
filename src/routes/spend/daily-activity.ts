import { toUserId } from "../../contract/organizations.ts";
import { ActivityQuery, LooseObject } from "../../contract/spend.ts";
import { json } from "../../http/reply.ts";
import type { Route } from "../../http/route.ts";
import { route } from "../../http/route.ts";
import type { Dimension, NamedThings, SumFilter, UsageGroup } from "../../usage/store.ts";
import { addUp } from "../usage/group-record.ts";
import type { UsageRouteDeps } from "../usage/usage-deps.ts";
import { dayRange, daysOf, isoDay } from "./day-range.ts";
import { keyHash } from "./spend-row.ts";
import { usd } from "./usd.ts";

const PAGE_SIZE = 50;
const ENTITIES = { user: "userId", team: "teamId", organization: "organizationId" } as const;
type Entity = keyof typeof ENTITIES;

/** Day by day, with what each day is made of: for the operator. */
export const dailyActivity = (deps: UsageRouteDeps): Route[] =>
  (Object.keys(ENTITIES) as Entity[]).map((entity) =>
    route({
      method: "GET",
      paths: [`/${entity}/daily/activity`],
      tag: "Spend",
      summary: `Show usage day by day, by ${entity}`,
      auth: "admin",
      query: ActivityQuery,
      success: LooseObject,
      errors: ["invalid_request"],
      handle: async ({ query }) => json(await activityOf(deps, entity, query)),
    }),
  );

interface Asked {
  readonly start_date?: string;
  readonly end_date?: string;
  readonly api_key?: string;
  readonly model?: string;
  readonly user_id?: string;
  readonly team_ids?: string;
  readonly organization_ids?: string;
  readonly page?: number;
  readonly page_size?: number;
}

async function activityOf(deps: UsageRouteDeps, entity: Entity, query: Asked) {
  const dimension = ENTITIES[entity];
  const days = daysOf(dayRange(query, deps.clock.nowMs()));
  const by: Dimension[] = ["model", "provider", "operation", "keyId", dimension];
  const wanted = new Set((query.organization_ids ?? "").split(",").filter((id) => id !== ""));
  const groups = (await deps.usage.sum(await filterOf(deps, query), days, by)).filter(
    ({ values }) => entity !== "organization" || wanted.size === 0 || wanted.has(String(values.organizationId)),
  );
  const names = await deps.usage.namesOf(groups);
  const byDay = [...Map.groupBy(groups, ({ start }) => start)].toSorted(([a], [b]) => b - a);
  const { page = 1, page_size = PAGE_SIZE } = query;
  const totalPages = Math.ceil(byDay.length / page_size);
  return {
    results: byDay.slice((page - 1) * page_size, page * page_size).map(([start, parts]) => ({
      date: isoDay(start),
      metrics: metricsOf(parts),
      breakdown: breakdownOf(parts, dimension, names),
    })),
    metadata: {
      ...Object.fromEntries(Object.entries(metricsOf(groups)).map(([name, value]) => [`total_${bare(name)}`, value])),
      page,
      total_pages: totalPages,
      has_more: page < totalPages,
    },
  };
}

async function filterOf(deps: UsageRouteDeps, query: Asked): Promise<SumFilter> {
  const keyId = query.api_key ? ((await deps.keys.locate(query.api_key))?.key.id ?? query.api_key) : undefined;
  const teamIds = (query.team_ids ?? "").split(",").filter((id) => id !== "");
  return {
    ...(keyId === undefined ? {} : { keyId }),
    ...(query.model ? { model: query.model } : {}),
    ...(query.user_id ? { userId: toUserId(query.user_id) } : {}),
    ...(teamIds.length === 0 ? {} : { teamIds }),
  };
}

function metricsOf(groups: readonly UsageGroup[]) {
  const sums = addUp(groups.map((group) => group.sums));
  return {
    spend: usd(sums.cost),
    prompt_tokens: Number(sums.promptTokens),
    completion_tokens: Number(sums.completionTokens),
    cache_read_input_tokens: Number(sums.cachedTokens),
    cache_creation_input_tokens: Number(sums.cacheWriteTokens),
    total_tokens: Number(sums.promptTokens + sums.completionTokens),
    successful_requests: Number(sums.requests - sums.failed),
    failed_requests: Number(sums.failed),
    api_requests: Number(sums.requests),
  };
}

/** `total_tokens` stays what it is called. */
const bare = (name: string): string => name.replace(/^total_/, "");

function breakdownOf(parts: readonly UsageGroup[], entity: Dimension, names: NamedThings) {
  const split = (nameOf: (group: UsageGroup) => string, metadata: (group: UsageGroup) => object = () => ({})) =>
    Object.fromEntries(
      [...Map.groupBy(parts, nameOf)].map(([name, groups]) => [
        name,
        { metrics: metricsOf(groups), metadata: groups[0] ? metadata(groups[0]) : {} },
      ]),
    );
  const models = split(({ values }) => String(values.model ?? ""));
  return {
    models,
    model_groups: models,
    providers: split(({ values }) => String(values.provider ?? "")),
    endpoints: split(({ values }) => String(values.operation ?? "")),
    api_keys: split(
      ({ values }) => keyHash(String(values.keyId), names),
      ({ values }) => ({ key_alias: names.keys.get(String(values.keyId))?.name ?? null }),
    ),
    entities: split(({ values }) => String(values[entity] ?? "")),
    mcp_servers: {},
  };
}
