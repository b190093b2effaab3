import type { Static } from "typebox";
import { findUserId } from "../../accounts/people/unknown-users.ts";
import { GatewayError } from "../../contract/errors.ts";
import { refuseUnserved } from "../../contract/gateway-admin/fields.ts";
import {
  AllTimeQuery,
  DaySpan,
  LooseObject,
  ReportQuery,
  Rows,
  TagSpendQuery,
  TopInDays,
  TopQuery,
  UNSERVED_OF_ALL_TIME,
  UserSpendQuery,
} from "../../contract/spend.ts";
import { json } from "../../http/reply.ts";
import type { Route } from "../../http/route.ts";
import { route } from "../../http/route.ts";
import type { TextSum, UsageGroup, UsageScope } from "../../usage/store.ts";
import type { UsageRouteDeps } from "../usage/usage-deps.ts";
import { dayRange, daysOf, isoDay } from "./day-range.ts";
import { keyHash, userText } from "./spend-row.ts";
import { usd } from "./usd.ts";

/** What everybody spent, for the operator. */
export const globalSpend = (deps: UsageRouteDeps): Route[] => [
  spendOfAll(deps),
  spendOfKeys(deps),
  spendOfUsers(deps),
  ...spendByName(deps),
  spendOfTags(deps),
  spendReport(deps),
  activity(deps),
];

const spendOfAll = ({ usage }: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/global/spend"],
    tag: "Spend",
    summary: "Tell what was spent in all",
    description: "Since the beginning.",
    auth: "admin",
    query: AllTimeQuery,
    success: LooseObject,
    errors: ["invalid_request"],
    async handle({ query }) {
      refuseUnserved(query, UNSERVED_OF_ALL_TIME);
      return json({ spend: usd((await usage.spendOf({})).cost), max_budget: null });
    },
  });

const spendOfKeys = ({ usage }: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/spend/keys", "/global/spend/keys"],
    tag: "Spend",
    summary: "List keys by what they spent",
    description: "The dearest first, since the beginning.",
    auth: "admin",
    query: TopQuery,
    success: Rows,
    errors: ["invalid_request"],
    async handle({ query }) {
      refuseUnserved(query, UNSERVED_OF_ALL_TIME);
      const spends = await usage.spendBy(["keyId", "teamId", "organizationId"], query.limit);
      const names = await usage.namesOf(spends);
      const rows = spends.map(({ values, cost }) => ({
        api_key: keyHash(String(values.keyId), names),
        token: keyHash(String(values.keyId), names),
        key_alias: names.keys.get(String(values.keyId))?.name ?? null,
        key_name: names.keys.get(String(values.keyId))?.name ?? null,
        team_id: values.teamId,
        organization_id: values.organizationId,
        spend: usd(cost),
        total_spend: usd(cost),
      }));
      return json(rows);
    },
  });

const spendOfUsers = ({ usage, stores }: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/spend/users"],
    tag: "Spend",
    summary: "List people by what was spent with their keys",
    description: "The dearest first, since the beginning.",
    auth: "admin",
    query: UserSpendQuery,
    success: Rows,
    errors: ["invalid_request"],
    async handle({ query }) {
      refuseUnserved(query, UNSERVED_OF_ALL_TIME);
      const wanted = query.user_id === undefined ? null : await findUserId(stores, query.user_id);
      const spends = (await usage.spendBy(["userId"])).filter(
        ({ values: { userId } }) => userId !== null && (wanted === null || userId === wanted),
      );
      const names = await usage.namesOf(spends);
      const rows = spends.map(({ values, cost }) => ({
        user_id: userText(values.userId, names),
        user_email: names.users.get(Number(values.userId))?.email ?? null,
        spend: usd(cost),
      }));
      return json(rows);
    },
  });

/** What is told apart, under which path, and what the row calls it. */
const NAMED = [
  { path: "/global/spend/models", by: "model", field: "model", what: "models" },
  { path: "/global/spend/teams", by: "teamId", field: "team_id", what: "teams" },
  { path: "/global/spend/provider", by: "provider", field: "provider", what: "providers" },
] as const;

const spendByName = ({ usage, clock }: UsageRouteDeps): Route[] =>
  NAMED.map(({ path, by, field, what }) =>
    route({
      method: "GET",
      paths: [path],
      tag: "Spend",
      summary: `List ${what} by what was spent with them`,
      description: "The dearest first; the last 30 days unless told.",
      auth: "admin",
      query: TopInDays,
      success: Rows,
      errors: ["invalid_request"],
      async handle({ query }) {
        const groups = await usage.sum({}, [dayRange(query, clock.nowMs())], [by]);
        const names = by === "teamId" ? await usage.namesOf(groups) : null;
        return json(
          byCost(groups, query.limit).map(({ values, sums }) => ({
            [field]: values[by],
            ...(names ? { team_alias: names.teams.get(String(values[by])) ?? null } : {}),
            total_spend: usd(sums.cost),
            spend: usd(sums.cost),
            api_requests: Number(sums.requests),
          })),
        );
      },
    }),
  );

const spendOfTags = ({ usage, clock }: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/spend/tags", "/global/spend/tags"],
    tag: "Spend",
    summary: "List tags by what was spent under them",
    description: "A call with two tags counts for both. As far as the log goes back.",
    auth: "admin",
    query: TagSpendQuery,
    success: Rows,
    errors: ["invalid_request"],
    async handle({ query }) {
      const dated = query.start_date !== undefined || query.end_date !== undefined;
      const range = dated ? dayRange(query, clock.nowMs()) : {};
      const wanted = new Set((query.tags ?? "").split(",").filter((tag) => tag !== ""));
      const rows = wanted.size === 0 ? await usage.sumTexts(range, "tag") : await sumTags(usage, range, [...wanted]);
      return json(
        rows.map(({ text, requests, cost }) => ({
          individual_request_tag: text,
          log_count: Number(requests),
          total_spend: usd(cost),
        })),
      );
    },
  });

/** One after the other: each may be beyond the dearest thousand, and its calls have other tags too. */
async function sumTags(usage: UsageRouteDeps["usage"], range: Partial<Range>, tags: readonly string[]) {
  const found: TextSum[] = [];
  for (const tag of tags) {
    found.push(...(await usage.sumTexts({ ...range, tag }, "tag")).filter(({ text }) => text === tag));
  }
  return found.sort((a, b) => (a.cost < b.cost ? 1 : -1));
}

const spendReport = (deps: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/global/spend/report"],
    tag: "Spend",
    summary: "Report spend by team, customer or key",
    auth: "admin",
    query: ReportQuery,
    success: Rows,
    errors: ["invalid_request"],
    async handle({ query }) {
      const range = dayRange(query, deps.clock.nowMs());
      const scope = await reportScope(deps, query);
      if (query.group_by === "customer") return json(await customers(deps, range, scope, query.customer_id));
      if (query.customer_id !== undefined) throw needsCustomers();
      return json(
        query.group_by === "api_key" ? await reportByKey(deps, range, scope) : await reportByTeam(deps, range, scope),
      );
    },
  });

async function reportScope(deps: UsageRouteDeps, query: Static<typeof ReportQuery>): Promise<UsageScope> {
  const { api_key, internal_user_id, team_id } = query;
  return {
    ...(api_key ? { keyId: (await deps.keys.locate(api_key))?.key.id ?? api_key } : {}),
    ...(internal_user_id ? { userId: await findUserId(deps.stores, internal_user_id) } : {}),
    ...(team_id ? { teamIds: [team_id] } : {}),
  };
}

/** The sums do not tell end users apart. */
const needsCustomers = (): GatewayError =>
  new GatewayError("invalid_request", "customer_id: it needs `group_by=customer`.", { param: "customer_id" });

const activity = ({ usage, clock }: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/global/activity"],
    tag: "Spend",
    summary: "Count calls and tokens by day",
    auth: "admin",
    query: DaySpan,
    success: LooseObject,
    errors: ["invalid_request"],
    async handle({ query }) {
      const groups = await usage.sum({}, daysOf(dayRange(query, clock.nowMs())), []);
      const days = groups.map(({ start, sums }) => ({
        date: isoDay(start),
        api_requests: Number(sums.requests),
        total_tokens: Number(sums.promptTokens + sums.completionTokens),
      }));
      return json({
        daily_data: days,
        sum_api_requests: days.reduce((sum, { api_requests }) => sum + api_requests, 0),
        sum_total_tokens: days.reduce((sum, { total_tokens }) => sum + total_tokens, 0),
      });
    },
  });

type Range = ReturnType<typeof dayRange>;

async function customers({ usage }: UsageRouteDeps, range: Range, scope: UsageScope, endUser?: string) {
  const wanted = { ...scope, ...range, ...(endUser === undefined ? {} : { endUser }) };
  return (await usage.sumTexts(wanted, "endUser")).map(({ text, requests, cost, promptTokens, completionTokens }) => ({
    customer: text,
    total_spend: usd(cost),
    total_requests: Number(requests),
    total_input_tokens: Number(promptTokens),
    total_output_tokens: Number(completionTokens),
  }));
}

async function reportByKey({ usage }: UsageRouteDeps, range: Range, scope: UsageScope) {
  const groups = await usage.sum(scope, [range], ["keyId", "model"]);
  const names = await usage.namesOf(groups);
  return [...Map.groupBy(groups, ({ values }) => String(values.keyId))].map(([keyId, parts]) => ({
    api_key: keyHash(keyId, names),
    ...totalsOf(parts),
    model_details: parts.map((part) => ({ model: part.values.model, ...totalsOf([part]) })),
  }));
}

/** Calls of the master key have no team. */
const NO_TEAM = "Unassigned";

async function reportByTeam({ usage }: UsageRouteDeps, range: Range, scope: UsageScope) {
  const groups = await usage.sum(scope, daysOf(range), ["teamId", "keyId", "model"]);
  const names = await usage.namesOf(groups);
  return [...Map.groupBy(groups, ({ start }) => start)].map(([start, day]) => ({
    group_by_day: isoDay(start),
    teams: [...Map.groupBy(day, ({ values }) => values.teamId ?? null)].map(([teamId, parts]) => ({
      team_id: teamId,
      team_name: names.teams.get(String(teamId)) ?? teamId ?? NO_TEAM,
      total_spend: totalsOf(parts).total_cost,
      metadata: parts.map(({ values, sums }) => ({
        model: values.model,
        api_key: keyHash(String(values.keyId), names),
        spend: usd(sums.cost),
        total_tokens: Number(sums.promptTokens + sums.completionTokens),
      })),
    })),
  }));
}

const totalsOf = (groups: readonly UsageGroup[]) => ({
  total_cost: usd(groups.reduce((sum, { sums }) => sum + sums.cost, 0n)),
  total_input_tokens: Number(groups.reduce((sum, { sums }) => sum + sums.promptTokens, 0n)),
  total_output_tokens: Number(groups.reduce((sum, { sums }) => sum + sums.completionTokens, 0n)),
});

const byCost = (groups: readonly UsageGroup[], limit?: number): readonly UsageGroup[] =>
  groups.toSorted((a, b) => (a.sums.cost < b.sums.cost ? 1 : -1)).slice(0, limit);
