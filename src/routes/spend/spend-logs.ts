import type { KeyCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import { refuseUnserved } from "../../contract/gateway-admin/fields.ts";
import {
  LooseObject,
  Rows,
  SpendLogQuery,
  SpendPageQuery,
  UNSERVED_OF_SPEND_LOGS,
  UNSERVED_OF_SPEND_PAGES,
} from "../../contract/spend.ts";
import type { CallStatus } from "../../contract/usage.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { SumFilter } from "../../usage/store.ts";
import { nanoOf } from "../gateway-admin/wire-values.ts";
import { findCall } from "../openrouter/generation.ts";
import type { UsageRouteDeps } from "../usage/usage-deps.ts";
import { dayRange, daysOf, isoDay } from "./day-range.ts";
import type { SpendDeps } from "./spend-deps.ts";
import { keyHash, spendRows, userText } from "./spend-row.ts";
import { usd } from "./usd.ts";
import { spendScope } from "./whose-spend.ts";

const ROWS_MAX = 1_000;
const PAGE_SIZE = 50;

export const spendLogs = (spend: SpendDeps) =>
  route({
    method: "GET",
    paths: ["/spend/logs"],
    tag: "Spend",
    summary: "List what calls cost",
    description:
      `The newest ${ROWS_MAX} calls; with dates, sums by day unless \`summarize\` is false. A key sees its own calls, the ` +
      "master key all of them. `/spend/logs/v2` pages through all that there are.",
    auth: "key",
    query: SpendLogQuery,
    success: Rows,
    errors: ["permission", "invalid_request"],
    async handle({ caller, query }) {
      refuseUnserved(query, UNSERVED_OF_SPEND_LOGS);
      const deps = spend.usage;
      const scope = await spendScope(deps, caller, query);
      const dated = query.start_date !== undefined || query.end_date !== undefined;
      if (dated && query.summarize !== false) {
        if (query.request_id) throw isOneCall();
        return json(await summary(deps, scope, query));
      }
      const span = dated ? dayRange(query, deps.clock.nowMs()) : {};
      const filter = { ...scope, ...span, ...(await requestFilter(deps, caller, query.request_id)) };
      return json(await spendRows(spend, await deps.usage.list(filter, { order: "newest", limit: ROWS_MAX })));
    },
  });

const isOneCall = (): GatewayError =>
  new GatewayError("invalid_request", "request_id: sums by day are not of single calls; add `summarize=false`.", {
    param: "request_id",
  });

export const spendLogPages = (spend: SpendDeps) =>
  route({
    method: "GET",
    paths: ["/spend/logs/v2", "/spend/logs/ui"],
    tag: "Spend",
    summary: "Page through what calls cost",
    auth: "key",
    query: SpendPageQuery,
    success: LooseObject,
    errors: ["permission", "invalid_request"],
    async handle({ caller, query }) {
      refuseUnserved(query, UNSERVED_OF_SPEND_PAGES);
      const deps = spend.usage;
      const filter = await pageFilter(deps, caller, query);
      const { page = 1, page_size = PAGE_SIZE } = query;
      const total = await deps.usage.count(filter);
      const offset = (page - 1) * page_size;
      const calls = offset >= total ? [] : await deps.usage.list(filter, { order: "newest", limit: page_size, offset });
      const data = await spendRows(spend, calls);
      return json({ data, total, page, page_size, total_pages: Math.ceil(total / page_size) });
    },
  });

interface PageFilter {
  readonly start_date?: string;
  readonly end_date?: string;
  readonly api_key?: string;
  readonly user_id?: string;
  readonly request_id?: string;
  readonly team_id?: string;
  readonly model?: string;
  readonly end_user?: string;
  readonly status_filter?: "success" | "failure";
  readonly min_spend?: number;
  readonly max_spend?: number;
}

const ENDS: Readonly<Record<"success" | "failure", readonly CallStatus[]>> = {
  success: ["succeeded", "cancelled"],
  failure: ["rejected", "failed", "partial", "aborted"],
};

async function pageFilter(deps: UsageRouteDeps, caller: KeyCaller, query: PageFilter) {
  const dated = query.start_date !== undefined || query.end_date !== undefined;
  return {
    ...(await spendScope(deps, caller, query)),
    ...(dated ? dayRange(query, deps.clock.nowMs()) : {}),
    ...(await requestFilter(deps, caller, query.request_id)),
    ...(query.team_id ? { teamIds: [query.team_id] } : {}),
    ...(query.model ? { model: query.model } : {}),
    ...(query.end_user ? { endUser: query.end_user } : {}),
    ...(query.status_filter === undefined ? {} : { statuses: ENDS[query.status_filter] }),
    ...(query.min_spend === undefined ? {} : { minCost: BigInt(nanoOf(query.min_spend) ?? 0) }),
    ...(query.max_spend === undefined ? {} : { maxCost: BigInt(nanoOf(query.max_spend) ?? 0) }),
  };
}

/** Scripts ask by the id of the response, which is the call's id behind a prefix, or the provider's id. */
const requestFilter = async ({ usage }: UsageRouteDeps, caller: KeyCaller, id: string | undefined) =>
  id ? { id: (await findCall(usage, caller, id))?.id ?? id } : {};

/** One object for each day that has calls: by user, by model, and by key under the key's own hash. */
async function summary(deps: UsageRouteDeps, scope: SumFilter, query: PageFilter) {
  const { usage, clock } = deps;
  const groups = await usage.sum(scope, daysOf(dayRange(query, clock.nowMs())), ["keyId", "userId", "model"]);
  const names = await usage.namesOf(groups);
  const days = new Map<number, { spend: bigint; users: Totals; models: Totals; keys: Totals }>();
  for (const { start, values, sums } of groups) {
    const day = days.get(start) ?? { spend: 0n, users: new Map(), models: new Map(), keys: new Map() };
    days.set(start, { ...day, spend: day.spend + sums.cost });
    add(day.users, userText(values.userId, names), sums.cost);
    add(day.models, String(values.model ?? ""), sums.cost);
    add(day.keys, keyHash(String(values.keyId), names), sums.cost);
  }
  return [...days].map(([start, { spend, users, models, keys }]) => ({
    ...inUsd(keys),
    startTime: isoDay(start),
    spend: usd(spend),
    users: inUsd(users),
    models: inUsd(models),
  }));
}

type Totals = Map<string, bigint>;

const add = (totals: Totals, name: string, amount: bigint): void => {
  totals.set(name, (totals.get(name) ?? 0n) + amount);
};

const inUsd = (totals: Totals): Record<string, number> =>
  Object.fromEntries([...totals].map(([name, nano]) => [name, usd(nano)]));
