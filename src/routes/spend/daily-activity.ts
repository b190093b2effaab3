import { findUserId } from "../../accounts/people/unknown-users.ts";
import { refuseUnserved } from "../../contract/gateway-admin/fields.ts";
import {
  ActivityQuery,
  CustomerActivityQuery,
  LooseObject,
  UNSERVED_BESIDE_CUSTOMERS,
  UNSERVED_OF_ACTIVITY,
} from "../../contract/spend.ts";
import { json } from "../../http/reply.ts";
import type { Route } from "../../http/route.ts";
import { route } from "../../http/route.ts";
import type { TimeRange } from "../../usage/buckets.ts";
import type { Dimension, LogFilter, NamedThings, SumFilter, UsageGroup } from "../../usage/store.ts";
import { addUp } from "../usage/group-record.ts";
import type { UsageRouteDeps } from "../usage/usage-deps.ts";
import { dayRange, daysOf, isoDay } from "./day-range.ts";
import { keyHash, userText } from "./spend-row.ts";
import { usd } from "./usd.ts";

const PAGE_SIZE = 50;
const DAYS_AT_ONCE = 3;
/** Where the sums by key stand among the parts of a day. */
const KEYS_AT = 3;
const ENTITIES = { user: "userId", team: "teamId", organization: "organizationId", customer: "endUser" } as const;
type Entity = keyof typeof ENTITIES;
type Part = Dimension | "endUser";
type Wanted = SumFilter & Pick<LogFilter, "endUsers">;

/** Day by day, with what each day is made of: for the operator. */
export const dailyActivity = (deps: UsageRouteDeps): Route[] =>
  (Object.keys(ENTITIES) as Entity[]).map((entity) =>
    route({
      method: "GET",
      paths:
        entity === "customer"
          ? ["/customer/daily/activity", "/end_user/daily/activity"]
          : [`/${entity}/daily/activity`],
      tag: "Spend",
      summary: `Show usage day by day, by ${entity === "customer" ? "end user" : entity}`,
      ...(entity === "customer" ? { description: "Of calls that name an end user, as far back as the log goes." } : {}),
      auth: "admin",
      query: entity === "customer" ? CustomerActivityQuery : ActivityQuery,
      success: LooseObject,
      errors: ["invalid_request"],
      async handle({ query }) {
        refuseUnserved(query, entity === "customer" ? UNSERVED_OF_ACTIVITY : UNSERVED_BESIDE_CUSTOMERS);
        return json(await activityOf(deps, entity, query));
      },
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
  readonly end_user_ids?: string;
  readonly page?: number;
  readonly page_size?: number;
}

async function activityOf(deps: UsageRouteDeps, entity: Entity, query: Asked) {
  const filter = await filterOf(deps, entity, query);
  const all = daysOf(dayRange(query, deps.clock.nowMs()));
  const groups = await sumOf(deps, filter, all, []);
  const days = groups.map(({ start }) => start).toReversed();
  const { page = 1, page_size = PAGE_SIZE } = query;
  const totalPages = Math.ceil(days.length / page_size);
  const shown = days.slice((page - 1) * page_size, page * page_size);
  const results: object[] = [];
  // A few at a time: thousands of sums at once would hold up everybody else.
  for (let at = 0; at < shown.length; at += DAYS_AT_ONCE) {
    const some = shown.slice(at, at + DAYS_AT_ONCE);
    const [last = 0, first = 0] = [some[0], some.at(-1)];
    const between = all.filter(({ start }) => start >= first && start <= last);
    results.push(...(await describeDays(deps, filter, ENTITIES[entity], between)).toReversed());
  }
  return {
    results,
    metadata: {
      ...Object.fromEntries(Object.entries(metricsOf(groups)).map(([name, value]) => [`total_${bare(name)}`, value])),
      page,
      total_pages: totalPages,
      has_more: page < totalPages,
    },
  };
}

/**
 * Each part by itself: a day has as many sums then as it has keys and models, and not as it has keys with their models. Of the
 * present day a call may have come between two of them.
 */
async function describeDays(deps: UsageRouteDeps, filter: Wanted, entity: Part, days: readonly TimeRange[]) {
  const by: readonly Part[] = ["model", "provider", "operation", "keyId", entity];
  const parts = await Promise.all(by.map((dimension) => sumOf(deps, filter, days, [dimension])));
  const names = await deps.usage.namesOf([
    ...(parts[KEYS_AT] ?? []),
    ...(entity === "userId" ? (parts.at(-1) ?? []) : []),
  ]);
  const byDay = parts.map((groups) => Map.groupBy(groups, ({ start }) => start));
  return [...(byDay[0]?.keys() ?? [])].map((start) => {
    const ofDay = byDay.map((groups) => groups.get(start) ?? []);
    return { date: isoDay(start), metrics: metricsOf(ofDay[0] ?? []), breakdown: breakdownOf(ofDay, entity, names) };
  });
}

/** The sums do not tell end users apart: what is asked about them is read from the log. */
const sumOf = ({ usage }: UsageRouteDeps, filter: Wanted, days: readonly TimeRange[], by: readonly Part[]) =>
  filter.endUsers === undefined
    ? usage.sum(
        filter,
        days,
        by.filter((part): part is Dimension => part !== "endUser"),
      )
    : usage.sumLog(filter, days, by);

async function filterOf(deps: UsageRouteDeps, entity: Entity, query: Asked): Promise<Wanted> {
  const keyId = query.api_key ? ((await deps.keys.locate(query.api_key))?.key.id ?? query.api_key) : undefined;
  const teamIds = listed(query.team_ids);
  const organizationIds = listed(query.organization_ids);
  const endUsers = listed(query.end_user_ids);
  return {
    ...(keyId === undefined ? {} : { keyId }),
    ...(query.model ? { model: query.model } : {}),
    ...(query.user_id ? { userId: await findUserId(deps.stores, query.user_id) } : {}),
    ...(teamIds.length === 0 ? {} : { teamIds }),
    ...(organizationIds.length === 0 ? {} : { organizationIds }),
    ...(entity === "customer" ? { endUsers: endUsers.length === 0 ? null : endUsers } : {}),
  };
}

const listed = (text = ""): string[] => text.split(",").filter((id) => id !== "");

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

function breakdownOf(parts: readonly (readonly UsageGroup[])[], entity: Part, names: NamedThings) {
  const [byModel = [], byProvider = [], byOperation = [], byKey = [], byEntity = []] = parts;
  const each = (
    groups: readonly UsageGroup[],
    nameOf: (values: UsageGroup["values"]) => string,
    metadata: (values: UsageGroup["values"]) => object = () => ({}),
  ) =>
    Object.fromEntries(
      groups.map((group) => [nameOf(group.values), { metrics: metricsOf([group]), metadata: metadata(group.values) }]),
    );
  const models = each(byModel, ({ model }) => String(model ?? ""));
  return {
    models,
    model_groups: models,
    providers: each(byProvider, ({ provider }) => String(provider ?? "")),
    endpoints: each(byOperation, ({ operation }) => String(operation ?? "")),
    api_keys: each(
      byKey,
      ({ keyId }) => keyHash(String(keyId), names),
      ({ keyId }) => ({ key_alias: names.keys.get(String(keyId))?.name ?? null }),
    ),
    entities: each(byEntity, (values) =>
      entity === "userId" ? userText(values.userId, names) : String(values[entity] ?? ""),
    ),
    mcp_servers: {},
  };
}
