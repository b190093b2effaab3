import { afterAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { errorFormat } from "./face.ts";
import { DAY_MS, startPaidApp } from "./paid-calls.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`what a key has spent, on ${kind}`, async () => {
    if (missing) return;
    const { app, clock, chat, calls } = await startPaidApp(kind);
    afterAll(() => app.close());
    const { post, get } = errorFormat(app, MASTER_KEY);
    const spending = async (token: string) => {
      const { spend, budget_spend } = (await get(`/key/info?key=${token}`)).body.info;
      return [spend, budget_spend];
    };
    const reset = (token: string, reset_to: unknown) => post(`/key/${token}/reset_spend`, { reset_to });

    test("by its team, is no later team's: the id of one that has spent is not given again", async () => {
      const team = { team_id: `returning-${kind}`, max_budget: 0.014 };
      const make = async () => (await post("/team/new", team)).status;
      const remove = async () => (await post("/team/delete", { team_ids: [team.team_id] })).status;
      expect([await make(), await remove(), await make()]).toEqual([200, 200, 200]);
      const { key } = (await post("/key/generate", { team_id: team.team_id })).body;
      expect(await calls(key, 3)).toEqual([200, 200, 429]);
      expect(await remove()).toBe(200);
      expect(await post("/team/new", team)).toMatchObject({
        status: 409,
        body: { error: { message: expect.stringContaining("removed team"), param: "team_id" } },
      });
    });

    test("is set by hand, and its budget counts on from there; the books have every call", async () => {
      const { key, token } = (await post("/key/generate", { max_budget: 0.021 })).body;
      expect(await calls(key, 4)).toEqual([200, 200, 200, 429]);
      expect(await spending(token)).toEqual([0.021, 0.021]);
      expect(await reset(token, 0.007)).toMatchObject({
        status: 200,
        body: { key_hash: token, spend: 0.007, previous_spend: 0.021, max_budget: 0.021, budget_reset_at: null },
      });
      expect(await spending(token)).toEqual([0.007, 0.007]);
      const told = await chat(key);
      expect([told.status, told.headers.get("x-gw-key-spend")]).toEqual([200, "0.014"]);
      expect(await calls(key, 2)).toEqual([200, 429]);
      expect((await reset(token, 0)).body).toMatchObject({ spend: 0, previous_spend: 0.021 });
      expect(await calls(key, 1)).toEqual([200]);

      const id = (await app.storage.accounts.keys.find(token))?.key.id ?? "";
      expect((await app.storage.usage.spendOfKeys([id])).get(id)?.cost).toBe(42_000_000n);
      const { rows } = await app.storage.accounts.audit.list(
        { action: "api_key.reset_spend" },
        { page: 1, pageSize: 9 },
      );
      expect(rows.filter(({ targetId }) => targetId === id).map(({ details }) => details)).toMatchObject([
        { changes: { waivedBudget: { from: 14_000_000, to: 35_000_000 } } },
        { changes: { waivedBudget: { from: 0, to: 14_000_000 } } },
      ]);
    });

    test("is set for many keys at once, and of one key as often as somebody asks", async () => {
      const made = await Promise.all(Array.from({ length: 24 }, () => post("/key/generate", {})));
      const answers = await Promise.all(made.map(({ body }) => reset(body.token, 0)));
      expect(answers.map(({ status }) => status)).toEqual(made.map(() => 200));
      const { key, token } = (await post("/key/generate", { max_budget: 0.021 })).body;
      expect(await calls(key, 3)).toEqual([200, 200, 200]);
      const again = await Promise.all([reset(token, 0.007), reset(token, 0.007), reset(token, 0.007)]);
      expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await spending(token)).toEqual([0.007, 0.007]);
      expect(await calls(key, 3)).toEqual([200, 200, 429]);
    });

    test("of a window is set until the next begins, which has the whole budget and no more", async () => {
      const { key, token } = (await post("/key/generate", { max_budget: 0.014, budget_duration: "1d" })).body;
      expect(await calls(key, 3)).toEqual([200, 200, 429]);
      expect((await reset(token, 0)).body.budget_reset_at).not.toBeNull();
      expect(await calls(key, 3)).toEqual([200, 200, 429]);
      expect(await spending(token)).toEqual([0.014, 0.014]);
      clock.step(DAY_MS);
      expect(await spending(token)).toEqual([0.014, 0]);
      expect(await calls(key, 3)).toEqual([200, 200, 429]);
      expect(await spending(token)).toEqual([0.028, 0.014]);
    });

    test("holds after a new value, and is the budget's from when there is one", async () => {
      const { key, token } = (await post("/key/generate", {})).body;
      expect(await calls(key, 3)).toEqual([200, 200, 200]);
      expect((await reset(token, 0.0035)).body).toMatchObject({
        spend: 0.0035,
        previous_spend: 0.021,
        max_budget: null,
      });
      const fresh = (await post("/key/regenerate", { key, max_budget: 0.0105 })).body;
      expect(await spending(fresh.token)).toEqual([0.0035, 0.0035]);
      expect(await calls(fresh.key, 2)).toEqual([200, 429]);
    });

    test("is not set to more than it is, nor to what is no amount, nor by who may not change the key", async () => {
      const owner = await newPerson(app);
      const stranger = await newPerson(app);
      const own = errorFormat(app, owner.token);
      const { key, token } = (await own.post("/key/generate", { max_budget: 1 })).body;
      expect(await calls(key, 2)).toEqual([200, 200]);
      const path = `/key/${token}/reset_spend`;
      expect((await own.post(path, { reset_to: 0.0141 })).status).toBe(400);
      for (const bad of [-0.007, "0", null, undefined]) {
        expect([bad, (await own.post(path, { reset_to: bad })).status]).toEqual([bad, 422]);
      }
      expect((await errorFormat(app, stranger.token).post(path, { reset_to: 0 })).status).toBe(404);
      expect((await errorFormat(app, key).post(path, { reset_to: 0 })).status).toBe(403);
      expect(await spending(token)).toEqual([0.014, 0.014]);
      expect((await own.post(path, { reset_to: 0.014 })).status).toBe(200);
      expect((await own.post(path, { reset_to: 0 })).body).toMatchObject({ spend: 0, previous_spend: 0.014 });
    });
  });
}
