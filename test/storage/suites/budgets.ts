import { describe, expect, test } from "bun:test";
import type { Budget } from "../../../src/accounts/records.ts";
import { AT, newBudget, newKey } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

const FULL: Partial<Budget> = {
  budget: 2n ** 63n - 1n,
  softBudget: 2n ** 53n + 1n,
  budgetWindow: "month",
  rpmLimit: 1,
  tpmLimit: 2 ** 31 - 1,
  parallelLimit: 3,
  modelLimits: { größe: { rpm: 1, tpm: 2 } },
  furtherBudgets: [{ limit: Number.MAX_SAFE_INTEGER, window: "12h", model: "größe" }],
};

export function budgetSuite(bench: StoreBench): void {
  async function storedBudget(given: Partial<Budget> = {}): Promise<Budget> {
    const budget = newBudget(given);
    await bench.stores.budgets.insert(budget);
    return budget;
  }

  /** One of each that can have a budget. */
  async function users(budgetId: string | null) {
    const { stores } = bench;
    const user = await bench.storedUser({ budgetId });
    const organization = await bench.storedOrganization({ budgetId });
    const team = await bench.storedTeam({ budgetId });
    const key = newKey(team.id, { budgetId });
    await stores.keys.insert(key);
    const read = async () => ({
      user: await stores.users.find(user.id),
      organization: await stores.organizations.find(organization.id),
      team: await stores.teams.find(team.id),
      key: (await stores.keys.find(key.id))?.key ?? null,
    });
    return { user, organization, team, key, read };
  }

  describe("budgets", () => {
    test("a budget is found as it was stored, and an id is taken once", async () => {
      const [bare, full] = [await storedBudget(), await storedBudget(FULL)];
      const { budgets } = bench.stores;
      expect(await budgets.find(bare.id)).toEqual(bare);
      expect(await budgets.find(full.id)).toEqual(full);
      expect(await budgets.find("budget_none")).toBeNull();
      expect(await rejection(storedBudget({ id: bare.id }))).toMatchObject({ kind: "conflict" });
    });

    test("an update changes what it names and nothing else", async () => {
      const { budgets } = bench.stores;
      const [budget, other] = [await storedBudget(), await storedBudget()];
      await budgets.update(budget.id, { ...FULL, updatedAt: AT + 9 });
      expect(await budgets.find(budget.id)).toEqual({ ...budget, ...FULL, updatedAt: AT + 9 });
      await budgets.update(budget.id, { rpmLimit: null, modelLimits: {} });
      await budgets.update(budget.id, {});
      const whole = { ...budget, ...FULL, rpmLimit: null, modelLimits: {}, updatedAt: AT + 9 };
      await budgets.update(budget.id, { ...whole, id: "budget_other", createdAt: 1 } as Budget);
      expect(await budgets.find(budget.id)).toEqual(whole);
      expect(await budgets.find(other.id)).toEqual(other);
    });

    test("the list has each once, by id", async () => {
      await storedBudget();
      const { budgets } = bench.stores;
      const { rows, total } = await budgets.list({ page: 1, pageSize: 1000 });
      expect(total).toBe(rows.length);
      const ids = rows.map(({ id }) => id);
      expect(new Set(ids).size).toBe(total);
      expect((await budgets.list({ page: 2, pageSize: 1 })).rows).toEqual(rows.slice(1, 2));
    });

    test("all that have a budget are counted and get its limits; nobody else does", async () => {
      const { budgets } = bench.stores;
      const budget = await storedBudget(FULL);
      expect(await budgets.countUses(budget.id)).toBe(0);
      const [have, others] = [await users(budget.id), await users(null)];
      expect(await budgets.countUses(budget.id)).toBe(4);
      expect(await budgets.countUses(budget.id, ["users", "apiKeys"])).toBe(2);
      expect(await budgets.countUses(budget.id, ["endUsers"])).toBe(0);
      const before = await others.read();
      await budgets.spread({ ...budget, updatedAt: AT + 77 });
      const { modelLimits, furtherBudgets, softBudget, parallelLimit } = budget;
      const { budget: amount, budgetWindow, rpmLimit, tpmLimit } = budget;
      const both = { budget: amount, budgetWindow, rpmLimit, tpmLimit, parallelLimit, updatedAt: AT + 77 };
      const all = { ...both, softBudget };
      expect(await have.read()).toEqual({
        user: { ...have.user, ...both, furtherBudgets },
        organization: { ...have.organization, ...all },
        team: { ...have.team, ...all, modelLimits, furtherBudgets },
        key: { ...have.key, ...all, modelLimits, furtherBudgets },
      });
      expect(await others.read()).toEqual(before);
    });

    test("a removed budget leaves those that had it", async () => {
      const budget = await storedBudget();
      const have = await users(budget.id);
      await bench.stores.budgets.remove(budget.id);
      expect(await bench.stores.budgets.find(budget.id)).toBeNull();
      expect(await have.read()).toMatchObject({
        user: { budgetId: null },
        organization: { budgetId: null },
        team: { budgetId: null },
        key: { budgetId: null },
      });
    });

    test("an organization takes its budgets with it, also while its teams have them", async () => {
      const organization = await bench.storedOrganization();
      const budget = await storedBudget({ organizationId: organization.id });
      await bench.storedTeam({ organizationId: organization.id, budgetId: budget.id });
      await bench.stores.organizations.update(organization.id, { budgetId: budget.id });
      await bench.stores.organizations.remove(organization.id);
      expect(await bench.stores.budgets.find(budget.id)).toBeNull();
    });

    test("a budget that does not exist, or a window outside the list, is refused by the database", async () => {
      expect(await rejection(bench.storedTeam({ budgetId: "budget_none" }))).toHaveProperty(
        "message",
        expect.stringMatching(/foreign key/i),
      );
      const wrong = storedBudget({ budgetWindow: "year" as Budget["budgetWindow"] });
      expect(await rejection(wrong)).toHaveProperty("message", expect.stringMatching(/check/i));
    });
  });
}
