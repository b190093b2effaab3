import { expect, test } from "bun:test";
import { SteppedClock } from "../../test/stepped-clock.ts";
import { GatewayError } from "../contract/errors.ts";
import { EndUserRules } from "./end-user-rules.ts";
import { MASTER } from "./key-standing.ts";
import { NO_LIMITS } from "./no-limits.ts";
import type { EndUser, SpendLimit } from "./records.ts";

const FRESH_MS = 5_000;
const CALLER = { ...MASTER, master: false, organizationId: "o1" };

function setUp() {
  const clock = new SteppedClock();
  const records = new Map<string, EndUser>();
  const asked: string[] = [];
  let away = false;
  const answer = async <T>(what: string, read: () => T): Promise<T> => {
    asked.push(what);
    if (away) throw new GatewayError("database", "The database is away.");
    return read();
  };
  const store = {
    find: (of: string, id: string) => answer(`${of}/${id}`, () => records.get(`${of}/${id}`) ?? null),
    organizations: () =>
      answer("organizations", () => [...new Set([...records.values()].map((one) => one.organizationId))]),
  };
  const put = (id: string, changes: Partial<EndUser> = {}): void => {
    const bare = { organizationId: "o1", id, alias: null, blocked: false, budgetId: null, createdAt: 1, updatedAt: 1 };
    records.set(`o1/${id}`, { ...bare, ...NO_LIMITS, ...changes });
  };
  const setting = { each: null as SpendLimit | null };
  const rules = new EndUserRules(store, clock, () => setting.each, FRESH_MS);
  const isOutOf = (isAway: boolean): void => {
    away = isAway;
  };
  return { clock, rules, put, setting, asked, isOutOf };
}

test("only the list of organizations is read for an organization without end users, ahead of time", async () => {
  const { rules, asked, clock } = setUp();
  expect(rules.concern(MASTER, 0)).toBe(false);
  expect(rules.concern(CALLER, 0)).toBe(true);
  expect(await rules.find("o1", "ada")).toBeNull();
  for (let step = 0; step < 3; step++) {
    expect(rules.concern(CALLER, clock.monotonicMs())).toBe(false);
    await Bun.sleep(0);
    clock.step(FRESH_MS * 0.9);
  }
  expect(rules.concern(CALLER, clock.monotonicMs())).toBe(false);
  expect(asked).toEqual(["organizations", "organizations", "organizations", "organizations"]);
});

test("the first call after a pause waits for the list, and meets the first end user of its organization", async () => {
  const { rules, put, clock } = setUp();
  expect(await rules.find("o1", "ada")).toBeNull();
  put("ada", { blocked: true });
  clock.step(FRESH_MS);
  expect(rules.concern(CALLER, clock.monotonicMs())).toBe(true);
  expect((await rules.find("o1", "ada"))?.blocked).toBe(true);
});

test("many calls at once are one look-up, and what was made for the same limits is gone on with", async () => {
  const { rules, asked, put, clock } = setUp();
  put("ada", { budget: 7n, budgetWindow: "day", rpmLimit: 3 });
  const found = await Promise.all([rules.find("o1", "ada"), rules.find("o1", "ada"), rules.find("o1", "ada")]);
  expect(new Set(found).size).toBe(1);
  expect(asked).toEqual(["organizations", "o1/ada"]);
  const acting = found[0]?.actingFor(CALLER);
  expect(acting).toMatchObject({
    endUser: "ada",
    budgets: [{ scope: "end_user", id: "o1/ada", limit: 7n, window: "day" }],
    limits: [{ scope: "end_user", id: "o1/ada", rpm: 3, tpm: null, parallel: null }],
  });
  clock.step(FRESH_MS);
  const again = await rules.find("o1", "ada");
  expect(again?.actingFor(CALLER)).toBe(acting as never);
  expect(again?.actingFor({ ...CALLER })).not.toBe(acting as never);
});

test("what another process has changed is seen after a while, what was changed here at once", async () => {
  const { rules, put, clock } = setUp();
  put("ada");
  expect((await rules.find("o1", "ada"))?.blocked).toBe(false);
  put("ada", { blocked: true });
  expect((await rules.find("o1", "ada"))?.blocked).toBe(false);
  clock.step(FRESH_MS);
  expect((await rules.find("o1", "ada"))?.blocked).toBe(true);
  put("ada", { blocked: false });
  rules.forget("o1", "ada");
  expect((await rules.find("o1", "ada"))?.blocked).toBe(false);
  put("ada", { blocked: true });
  rules.forgetAll();
  expect((await rules.find("o1", "ada"))?.blocked).toBe(true);
});

test("a look-up that began before something was forgotten is not kept", async () => {
  const { rules, put } = setUp();
  put("ada");
  await rules.find("o1", "bob");
  const early = rules.find("o1", "ada");
  put("ada", { blocked: true });
  rules.forget("o1", "ada");
  expect((await early) === null).toBe(false);
  expect((await rules.find("o1", "ada"))?.blocked).toBe(true);
});

test("while the database is away what was known goes on; who is not known is not let through", async () => {
  const { rules, put, clock, isOutOf } = setUp();
  put("ada", { blocked: true });
  expect((await rules.find("o1", "ada"))?.blocked).toBe(true);
  isOutOf(true);
  clock.step(FRESH_MS);
  expect((await rules.find("o1", "ada"))?.blocked).toBe(true);
  expect(Promise.resolve(rules.find("o1", "bob"))).rejects.toMatchObject({ kind: "database" });
  rules.forget("o1", "bob");
  expect((await rules.find("o1", "ada"))?.blocked).toBe(true);
  expect(await rules.find("o2", "bob")).toBeNull();
  isOutOf(false);
  expect(await rules.find("o1", "bob")).toBeNull();
});

test("what holds for each of them is for those without a budget of their own, and follows the configuration", async () => {
  const { rules, put, setting, asked } = setUp();
  const limitOf = async (name: string) => (await rules.find("o1", name))?.actingFor(CALLER).budgets[0]?.limit ?? null;
  expect(await limitOf("bob")).toBeNull();
  setting.each = { budget: 5n, budgetWindow: "total" };
  expect(rules.concern(CALLER, 0)).toBe(true);
  expect([await limitOf("bob"), await limitOf("bob")]).toEqual([5n, 5n]);
  // Nobody has a record, so nobody was asked for one.
  expect(asked).toEqual(["organizations"]);
  put("ada", { budget: 7n, budgetWindow: "day" });
  put("eve", { blocked: true });
  rules.forget("o1", "ada");
  expect([await limitOf("ada"), await limitOf("eve"), await limitOf("bob")]).toEqual([7n, 5n, 5n]);
  expect((await rules.find("o1", "eve"))?.blocked).toBe(true);
  setting.each = { budget: 6n, budgetWindow: "total" };
  expect([await limitOf("ada"), await limitOf("eve"), await limitOf("bob")]).toEqual([7n, 6n, 6n]);
  setting.each = null;
  expect([await limitOf("ada"), await limitOf("eve"), await limitOf("bob")]).toEqual([7n, null, null]);
});
