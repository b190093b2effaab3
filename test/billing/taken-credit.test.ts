import { describe, expect, test } from "bun:test";
import { walletOf } from "../../src/ledger/entry.ts";
import type { Person } from "../accounts/people.ts";
import { startApp, type TestApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { charge, Shop, USD } from "./shop.ts";

/** A model that takes a cent for each call. */
const MODELS = `model_list:
  - model_name: cent
    litellm_params: { model: echo/echo }
    model_info: { mode: chat, input_cost_per_query: 0.01 }
`;

async function keyOf(person: Person): Promise<string> {
  const { body: teams } = await person.send("GET", "/api/gw/teams");
  const [team] = (teams as { data: { id: string }[] }).data;
  return ((await person.send("POST", "/api/gw/api-keys", { name: "mine", teamId: team?.id })).body as { key: string })
    .key;
}

async function callCent(app: TestApp, key: string): Promise<number> {
  const json = { model: "cent", messages: [{ role: "user", content: "Hello!" }] };
  const response = await app.call("/v1/chat/completions", { key, json });
  await response.text();
  return response.status;
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`credit that is taken back on ${kind}`, () => {
    test("is not spent by the next call, though it was set aside for calls before", async () => {
      const shop = await Shop.open(kind, MODELS);
      const { app, person } = shop;
      const purchase = await shop.buy(5);
      await shop.press(purchase, "pay");
      const key = await keyOf(person);
      expect(await callCent(app, key)).toBe(200);
      expect(await app.service.books.flush()).toBe(true);
      const paid = { payment_intent: `pi_test_${purchase.id}` };
      await shop.tell({ type: "charge.refunded", object: charge(purchase, 498, paid) });
      expect(await shop.balance()).toBe(0.01 * USD);
      // What is left is there for whoever comes next, and no more.
      expect(await callCent(app, key)).toBe(200);
      expect(await callCent(app, key)).toBe(429);
      await app.service.books.flush();
      expect(await shop.balance()).toBe(0);
      expect(await shop.isBlocked()).toBe(false);
      await shop.close();
    });
  });
}

const postgres = DATABASES.find(({ kind }) => kind === "postgres");

test.skipIf(postgres?.missing !== false)(
  "is not spent by another server either, which nobody tells of it",
  async () => {
    const databaseUrl = await migratedUrl("postgres");
    const shop = await Shop.open("postgres", MODELS, databaseUrl);
    const other = await startApp(MODELS, databaseUrl);
    const purchase = await shop.buy(5);
    await shop.press(purchase, "pay");
    const key = await keyOf(shop.person);
    expect(await callCent(other, key)).toBe(200);
    await other.service.books.flush();
    const leased = () => other.service.books.standing().desk.leased;
    // A call that runs there: what lies beside it is not given back for want of use.
    const { signal } = new AbortController();
    const creditSources = [{ id: walletOf(shop.person.ownId), organizationId: shop.person.ownId, limit: null }];
    const running = await other.service.books.desk.hold({
      callId: "running",
      creditSources,
      amount: 10_000_000n,
      signal,
    });
    expect(leased()).toBeGreaterThan(10_000_000n);
    const paid = { payment_intent: `pi_test_${purchase.id}` };
    await shop.tell({ type: "charge.refunded", object: charge(purchase, 498, paid) });
    expect(await shop.balance()).toBe(0.01 * USD);
    while (leased() > 10_000_000n) await Bun.sleep(20);
    running.release();
    expect(await callCent(other, key)).toBe(200);
    expect(await callCent(other, key)).toBe(429);
    await other.service.books.flush();
    expect(await shop.balance()).toBe(0);
    await other.close();
    await shop.close();
  },
);
