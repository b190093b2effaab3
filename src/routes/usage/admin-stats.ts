import Type from "typebox";
import { UsageSums } from "../../contract/usage-records.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { wholeQuarters } from "../../usage/date-range.ts";
import { addUp, sumsRecord } from "./group-record.ts";
import type { UsageRouteDeps } from "./usage-deps.ts";

const HOUR_MS = 60 * 60 * 1000;
/** Of a list only its total is asked for. */
const ONE_ROW = { page: 1, pageSize: 1 };

const Count = Type.Integer();
const Stats = Type.Object({
  users: Count,
  organizations: Count,
  teams: Count,
  apiKeys: Count,
  last24Hours: UsageSums,
  last30Days: UsageSums,
});

export const adminStats = ({ stores, usage, clock }: UsageRouteDeps) => {
  const lastHours = async (hours: number) => {
    const end = clock.nowMs();
    const rows = await usage.sum({}, [wholeQuarters({ start: end - hours * HOUR_MS, end })], []);
    return sumsRecord(addUp(rows.map(({ sums }) => sums)), true);
  };
  return route({
    method: "GET",
    paths: ["/api/admin/stats"],
    tag: "Administration",
    summary: "Tell how much there is, and how much was called",
    description: "Sums are kept by quarter of an hour: both spans begin with a whole one.",
    auth: "admin",
    success: Stats,
    errors: [],
    async handle() {
      const [users, organizations, teams, apiKeys, last24Hours, last30Days] = await Promise.all([
        stores.users.list({}, ONE_ROW),
        stores.organizations.list({}, ONE_ROW),
        stores.teams.search({ ids: null }, ONE_ROW),
        stores.keys.list({ teamIds: null }, ONE_ROW),
        lastHours(24),
        lastHours(30 * 24),
      ]);
      return json({
        users: users.total,
        organizations: organizations.total,
        teams: teams.total,
        apiKeys: apiKeys.total,
        last24Hours,
        last30Days,
      });
    },
  });
};
