import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { errorFormat } from "./face.ts";
import { DAY_MS, startPaidApp } from "./paid-calls.ts";

const PRICE = 0.007;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`budgets of any duration, on ${kind}`, async () => {
    if (missing) return;
    const { app, clock, chat, calls } = await startPaidApp(kind);
    afterAll(() => app.close());
    const { post, get } = errorFormat(app, MASTER_KEY);
    const infoOf = async (token: string) => (await get(`/key/info?key=${token}`)).body.info;

    test.each([
      ["30s", 30],
      ["90m", 90 * 60],
      ["12h", DAY_MS / 2000],
      ["2w", (14 * DAY_MS) / 1000],
    ] as const)("a key gets its budget of %s back when the window ends", async (budget_duration, seconds) => {
      const { key, token } = (await post("/key/generate", { max_budget: PRICE, budget_duration })).body;
      expect(await infoOf(token)).toMatchObject({ max_budget: PRICE, budget_duration });
      expect(await calls(key, 1)).toEqual([200]);
      const refused = await chat(key);
      const wait = Number(refused.headers.get("retry-after"));
      expect([refused.status, wait > 0 && wait <= seconds]).toEqual([429, true]);
      const { budget_spend, budget_reset_at } = await infoOf(token);
      expect([budget_spend, Math.ceil((Date.parse(budget_reset_at) - clock.nowMs()) / 1000)]).toEqual([PRICE, wait]);
      clock.step(wait * 1000);
      expect(await calls(key, 2)).toEqual([200, 429]);
      expect(await infoOf(token)).toMatchObject({ budget_spend: PRICE, spend: 2 * PRICE });
    });

    test("a budget of a part of a quarter of an hour counts what was spent before it was set", async () => {
      const { key, token } = (await post("/key/generate", {})).body;
      clock.step(60_000 - (clock.nowMs() % 60_000));
      expect(await calls(key, 2)).toEqual([200, 200]);
      await post("/key/update", { key: token, max_budget: 3 * PRICE, budget_duration: "60s" });
      expect(await infoOf(token)).toMatchObject({ budget_duration: "60s", budget_spend: 2 * PRICE });
      expect(await calls(key, 2)).toEqual([200, 429]);
    });

    test("windows of seconds that ended a day ago leave the database", async () => {
      const { key, token } = (await post("/key/generate", { max_budget: 1, budget_duration: "30s" })).body;
      const id = (await app.storage.accounts.keys.find(token))?.key.id ?? "";
      for (let window = 0; window < 3; window++) {
        expect(await calls(key, 1)).toEqual([200]);
        clock.step(30_000);
      }
      expect(await app.storage.budgets.list(`key:${id}`)).toHaveLength(3);
      clock.step(2 * DAY_MS);
      expect(await calls(key, 1)).toEqual([200]);
      expect(await app.storage.budgets.list(`key:${id}`)).toHaveLength(1);
      expect(await infoOf(token)).toMatchObject({ spend: 4 * PRICE, budget_spend: PRICE });
    });

    test("teams, users, organizations, end users and stored budgets take them", async () => {
      const limits = { max_budget: 1, budget_duration: "12h" };
      expect((await post("/team/new", { team_alias: "Twelve", ...limits })).body).toMatchObject(limits);
      const user = { user_email: "twelve@example.com", auto_create_key: false };
      expect((await post("/user/new", { ...user, ...limits })).body).toMatchObject(limits);
      const organization = await post("/organization/new", { organization_alias: "Twelve", ...limits });
      expect(organization.body.litellm_budget_table).toMatchObject(limits);
      expect((await post("/customer/new", { user_id: "twelve", ...limits })).body.litellm_budget_table).toMatchObject(
        limits,
      );
      expect((await post("/budget/new", { budget_id: "twelve", ...limits })).body).toMatchObject(limits);
      const held = (await post("/key/generate", { budget_id: "twelve" })).body;
      expect(await infoOf(held.token)).toMatchObject(limits);
    });

    test("responses say when a budget resets", async () => {
      const limits = { max_budget: 1, budget_duration: "2w" };
      const day = DAY_MS / 1000;
      const isNext = (text: unknown) => {
        const seconds = (Date.parse(String(text)) - clock.nowMs()) / 1000;
        return seconds > 0 && seconds <= 14 * day;
      };
      const { team_id, budget_reset_at: ofTeam } = (await post("/team/new", limits)).body;
      expect(isNext(ofTeam)).toBe(true);
      expect(isNext((await get(`/team/info?team_id=${team_id}`)).body.team_info.budget_reset_at)).toBe(true);
      const user = { user_email: "reset@example.com", auto_create_key: false };
      const { user_id } = (await post("/user/new", { ...user, ...limits })).body;
      expect(isNext((await get(`/user/info?user_id=${user_id}`)).body.user_info.budget_reset_at)).toBe(true);
      expect(isNext((await post("/budget/new", { budget_id: "b1", ...limits })).body.budget_reset_at)).toBe(true);
      expect(isNext((await post("/budget/info", { budgets: ["b1"] })).body[0].budget_reset_at)).toBe(true);
      const customer = (await post("/customer/new", { user_id: "reset", ...limits })).body;
      expect(isNext(customer.litellm_budget_table.budget_reset_at)).toBe(true);
      expect((await post("/budget/new", { budget_id: "b2", max_budget: 1 })).body.budget_reset_at).toBeNull();
    });

    test("memberships of a team have the limits of the member, flat and in a budget table", async () => {
      const { team_id } = (await post("/team/new", {})).body;
      const member = { role: "user", user_email: "nested@example.com" };
      await post("/team/member_add", { team_id, member, max_budget_in_team: 0.5, budget_duration: "2w" });
      const { team_memberships } = (await get(`/team/info?team_id=${team_id}`)).body;
      expect(team_memberships).toMatchObject([
        { team_id, max_budget_in_team: 0.5, litellm_budget_table: { max_budget: 0.5, budget_duration: "2w" } },
      ]);
      const [{ user_id }] = team_memberships;
      await post("/team/member_update", { team_id, user_id, budget_duration: "12h" });
      const { team_memberships: changed } = (await get(`/team/info?team_id=${team_id}`)).body;
      expect(changed).toMatchObject([{ max_budget_in_team: 0.5, budget_duration: "12h" }]);
    });

    test("the ledger agrees with the log about all of them", async () => {
      const rules = await app.storage.audit.verify(clock.nowMs());
      expect(rules.filter(({ differences }) => differences.length > 0)).toEqual([]);
    });
  });
}
