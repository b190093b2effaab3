import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, startAppOn } from "./people.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`settings of the platform's records, on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const owner = await newPerson(app);
    const [team] = ((await owner.send("GET", "/api/gw/teams")).body as { data: { id: string }[] }).data;
    const key = (await owner.send("POST", "/api/gw/api-keys", { name: "k", team_id: team?.id })).body as { id: string };
    await owner.send("POST", "/api/end-users", { id: "ada" });
    const admin = async (path: string, json: object) => {
      const answer = await app.call(path, { method: "PATCH", key: MASTER_KEY, json });
      return { status: answer.status, body: (await answer.json()) as never };
    };
    const writes: [string, (body: object) => Promise<{ status: number; body: never }>][] = [
      ["a key", (body) => owner.send("PATCH", `/api/gw/api-keys/${key.id}`, body)],
      ["a team", (body) => owner.send("PATCH", `/api/gw/teams/${team?.id}`, body)],
      ["an organization", (body) => owner.send("PUT", "/api/gw/organizations", { id: owner.ownId, ...body })],
      ["an organization, for operators", (body) => admin(`/api/admin/organizations/${owner.ownId}`, body)],
      ["an end user", (body) => owner.send("PATCH", "/api/end-users/ada", body)],
    ];

    test.each(writes)("the window of a soft budget alone is told: %s", async (_, write) => {
      expect((await write({ budget: null, softBudget: 5, budgetWindow: "day" })).body).toMatchObject({
        budget: null,
        softBudget: 5,
        budgetWindow: "day",
      });
      expect((await write({ budgetWindow: null })).body).toMatchObject({ budgetWindow: "total" });
      expect((await write({ softBudget: null })).body).toMatchObject({ softBudget: null, budgetWindow: null });
    });

    test.each([
      ...writes,
      ["a member", (body) => owner.send("PATCH", `/api/gw/teams/${team?.id}/members/${owner.id}`, body)],
      ["a new key", (body) => owner.send("POST", "/api/gw/api-keys", { name: "l", team_id: team?.id, ...body })],
      ["a new team", (body) => owner.send("POST", "/api/gw/teams", { name: "L", ...body })],
      ["a new end user", (body) => owner.send("POST", "/api/end-users", { id: "bob", ...body })],
    ] satisfies typeof writes)(
      "a limit by the name that scripts have for it is not passed over: %s",
      async (_, write) => {
        for (const name of ["max_budget", "budget_duration", "max_parallel_requests", "model_rpm_limit"]) {
          const { status, body } = await write({ [name]: 1 });
          expect([name, status, (body as { error: string }).error]).toEqual([
            name,
            400,
            expect.stringContaining(`${name}: here it is \``),
          ]);
        }
      },
    );

    test("a new organization has the settings that it is made with, and none that it may not have", async () => {
      const settings = {
        billingEmail: "bills@example.com",
        timezone: "Europe/Berlin",
        dataRetentionDays: 30,
        softBudget: 5,
        budgetWindow: "day",
        storePrompts: true,
        allowedIps: ["10.0.0.0/8"],
        metadata: { a: 1 },
      };
      const { status, body } = await owner.send("POST", "/api/gw/organizations", {
        name: "Set",
        budget: 7,
        ...settings,
      });
      const told = { ...settings, budget: { limit: 7, window: "day" } };
      expect([status, body]).toMatchObject([201, told]);
      const { id } = body as { id: string };
      expect((await owner.send("GET", `/api/gw/organizations/${id}`)).body).toMatchObject(told);
      const wrong = { name: "Wrong", timezone: "Nowhere/Town" };
      expect((await owner.send("POST", "/api/gw/organizations", wrong)).status).toBe(400);
      const names = JSON.stringify((await owner.send("GET", "/api/gw/organizations/list")).body);
      expect(names).not.toContain("Wrong");
      const lent = { name: "Lent", billing: "invoiced", rpmLimit: 5 };
      expect((await owner.send("POST", "/api/gw/organizations", lent)).body).toMatchObject({ billing: "prepaid" });
    });

    test("a new team has the settings that it is made with", async () => {
      const settings = {
        budget: 7,
        budgetWindow: "day",
        softBudget: 5,
        rpmLimit: 3,
        tpmLimit: 300,
        parallelLimit: 2,
        models: ["echo"],
        modelAliases: { fast: "echo" },
        tags: ["t"],
        metadata: { a: 1 },
      };
      const { status, body } = await owner.send("POST", "/api/gw/teams", { name: "Set", ...settings });
      expect([status, body]).toMatchObject([201, { ...settings, budget: { limit: 7, window: "day", spent: 0 } }]);
      const { id } = body as { id: string };
      expect((await owner.send("GET", `/api/gw/teams/${id}`)).body).toMatchObject({ softBudget: 5, models: ["echo"] });
      const wrong = { name: "Wrong", guardrails: ["none"] };
      expect((await owner.send("POST", "/api/gw/teams", wrong)).status).toBe(400);
    });
  });
}
