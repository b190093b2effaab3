import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { signBody } from "../../src/billing/providers/signature.ts";
import { newPerson, type Person } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { FakeStripe } from "./fake-stripe.ts";
import { USD } from "./shop.ts";

const stripe = new FakeStripe();
const SECRET = "whsec_the_only_secret";
const clock = new SteppedClock();
const app = await startApp(
  `
general_settings:
  signup_credits: 0
  public_url: https://turnpike.example
  billing: {stripe: {secret_key: sk_test_123, webhook_secret: ${SECRET}, api_base: ${stripe.url}}}
`,
  null,
  clock,
);
afterAll(async () => {
  await app.close();
  stripe.stop();
});
beforeEach(() => {
  stripe.calls.length = 0;
  stripe.refusals.length = 0;
  stripe.meanwhile = null;
  stripe.oldCharge = null;
});

const tell = async (type: string, object: object): Promise<number> => {
  const body = JSON.stringify({ id: `evt_${crypto.randomUUID()}`, object: "event", type, data: { object } });
  const headers = { "stripe-signature": signBody(body, SECRET, clock.nowMs()) };
  return (await app.call("/api/webhooks/stripe", { method: "POST", headers, body })).status;
};
const balance = async (person: Person) =>
  ((await person.send("GET", "/api/balance")).body as { balance: number }).balance;
const charges = () => stripe.calls.filter(({ path }) => path === "/v1/payment_intents");
const tick = () => app.service.billing.topUps.tick();

async function saveCard(person: Person): Promise<void> {
  expect((await person.send("POST", "/api/billing/payment-method")).status).toBe(201);
  const methodId = stripe.calls.at(-1)?.form["metadata[methodId]"] ?? "";
  const saved = { id: "seti_1", customer: "cus_1", payment_method: "pm_1", metadata: { methodId } };
  expect(await tell("setup_intent.succeeded", saved)).toBe(200);
  const settings = { enabled: true, threshold: 5 * USD, amount: 20 * USD };
  expect((await person.send("PUT", "/api/billing/auto-top-up", settings)).status).toBe(200);
}

/** Somebody with a saved card, whose balance is below the threshold. */
async function subscriber(): Promise<Person> {
  const person = await newPerson(app);
  await saveCard(person);
  const { ledger } = app.storage.billing;
  const given = { kind: "voucher", cash: null, userId: null, reason: "x", details: {}, atMs: clock.nowMs() } as const;
  await ledger.post({ ...given, key: person.ownId, organizationId: person.ownId, amount: 1n });
  stripe.calls.length = 0;
  return person;
}

describe("a saved card at Stripe", () => {
  test("is saved on a page of Stripe's, for a customer of its own, with keys that make a repeated call the same", async () => {
    const person = await newPerson(app);
    const { body } = await person.send("POST", "/api/billing/payment-method");
    expect((body as { setupUrl: string }).setupUrl).toStartWith("https://pay.example/");
    const [customer, setup] = stripe.calls;
    const methodId = setup?.form["metadata[methodId]"];
    expect(customer).toMatchObject({
      path: "/v1/customers",
      key: `customer:${methodId}`,
      form: { "metadata[organizationId]": person.ownId },
    });
    expect(setup).toMatchObject({
      path: "/v1/checkout/sessions",
      key: `setup:${methodId}`,
      form: {
        mode: "setup",
        currency: "usd",
        customer: "customers_1",
        "setup_intent_data[metadata][methodId]": methodId,
      },
    });
  });

  test("is charged when the balance is low, with nobody there, and credits once", async () => {
    const person = await subscriber();
    await Promise.all([tick(), tick()]);
    expect(charges()).toHaveLength(1);
    const [charge] = charges();
    expect(charge).toMatchObject({
      key: `${person.ownId}:1`,
      form: {
        amount: "2000",
        currency: "usd",
        customer: "cus_1",
        payment_method: "pm_1",
        off_session: "true",
        confirm: "true",
        "metadata[organizationId]": person.ownId,
      },
    });
    expect(await balance(person)).toBe(20 * USD + 1);
    const purchaseId = charge?.form["metadata[purchaseId]"];
    const intent = { id: "pi_x", metadata: { purchaseId }, amount_received: 2_000, currency: "usd", livemode: false };
    expect(await tell("payment_intent.succeeded", intent)).toBe(200);
    expect(await balance(person)).toBe(20 * USD + 1);
  });

  test("that is declined credits nothing, is noted without Stripe's words, and waits", async () => {
    const person = await subscriber();
    const error = { type: "card_error", code: "card_declined", decline_code: "insufficient_funds", message: "secret" };
    stripe.refusals.push({ status: 402, error });
    await tick();
    await tick();
    expect(charges()).toHaveLength(1);
    expect(await balance(person)).toBe(1);
    const { body } = await person.send("GET", "/api/billing/auto-top-up");
    expect(body).toMatchObject({ enabled: true, declines: 1, retryAt: expect.any(String) });
    const { data } = (await person.send("GET", "/api/billing/purchases")).body as { data: { failure: string }[] };
    expect(data.map(({ failure }) => failure)).toEqual(["The card was declined: insufficient_funds."]);
  });

  test("whose charge nobody heard the end of is charged again with the same key, and holds up nobody else", async () => {
    const person = await subscriber();
    // The client itself tries three times.
    for (let times = 0; times < 3; times++) stripe.refusals.push({ status: 500, error: { type: "api_error" } });
    await tick();
    expect(await balance(person)).toBe(1);
    const other = await subscriber();
    stripe.calls.length = 0;
    await tick();
    expect(await balance(other)).toBe(20 * USD + 1);
    expect(charges().map(({ key }) => key)).toEqual([`${other.ownId}:1`]);
    stripe.calls.length = 0;
    clock.step(11 * 60_000);
    await tick();
    expect(charges().map(({ key }) => key)).toEqual([`${person.ownId}:1`]);
    expect(await balance(person)).toBe(20 * USD + 1);
    clock.step(11 * 60_000);
    await tick();
    expect(await balance(person)).toBe(20 * USD + 1);
  });

  test("whose charge nobody heard the end of for most of a day is given up: Stripe forgets the key then", async () => {
    const person = await subscriber();
    for (let times = 0; times < 3; times++) stripe.refusals.push({ status: 500, error: { type: "api_error" } });
    await tick();
    const lost = charges()[0]?.form["metadata[purchaseId]"];
    // Without the card nobody asks again; with another one the next top-up must not wait for ever.
    expect((await person.send("DELETE", "/api/billing/payment-method")).status).toBe(200);
    await saveCard(person);
    stripe.calls.length = 0;
    const keys = () => charges().flatMap(({ key }) => (key?.startsWith(person.ownId) ? key : []));
    clock.step(21 * 3_600_000);
    await tick();
    expect(keys()).toEqual([]);
    expect((await person.send("GET", "/api/billing/auto-top-up")).body).toMatchObject({ enabled: true, declines: 1 });
    clock.step(3_600_000);
    await tick();
    expect(keys()).toEqual([`${person.ownId}:2`]);
    expect(await balance(person)).toBe(20 * USD + 1);
    // It was paid after all: it counts, in the books and for the cap of the month.
    const intent = { id: "pi_y", metadata: { purchaseId: lost }, amount_received: 2_000, currency: "usd" };
    expect(await tell("payment_intent.succeeded", { ...intent, livemode: false })).toBe(200);
    expect(await balance(person)).toBe(40 * USD + 1);
    expect(await app.storage.billing.topUps.chargedSince(person.ownId, 0)).toBe(BigInt(40 * USD));
    expect((await app.storage.audit.verify(clock.nowMs())).flatMap(({ differences }) => differences)).toEqual([]);
  });

  describe("whose charge nobody heard the end of is not charged again", () => {
    const byOperator = (person: Person, json: object) =>
      app.call(`/api/admin/organizations/${person.ownId}`, { method: "PATCH", key: MASTER_KEY, json });
    const cases: Readonly<Record<string, (person: Person) => Promise<unknown>>> = {
      "once the organization is invoiced": (person) => byOperator(person, { billing: "invoiced" }),
      "once the organization is blocked": (person) => byOperator(person, { status: "blocked" }),
      "once it was switched off": (person) =>
        person.send("PUT", "/api/billing/auto-top-up", { enabled: false, threshold: 5 * USD, amount: 20 * USD }),
      "once its only owner was removed": async (person) => {
        await app.storage.billing.ledger.post({
          key: `taken:${person.ownId}`,
          kind: "voucher",
          organizationId: person.ownId,
          amount: -1n,
          cash: null,
          atMs: clock.nowMs(),
          userId: null,
          reason: "x",
          details: {},
        });
        await app.call(`/api/admin/users/${person.id}`, { method: "DELETE", key: MASTER_KEY });
      },
    };
    for (const [name, change] of Object.entries(cases)) {
      test(name, async () => {
        const person = await subscriber();
        for (let times = 0; times < 3; times++) stripe.refusals.push({ status: 500, error: { type: "api_error" } });
        await tick();
        expect(charges()).toHaveLength(3);
        await change(person);
        stripe.calls.length = 0;
        clock.step(11 * 60_000);
        await tick();
        expect(charges()).toEqual([]);
        // Not for ever: the next one must not wait for it.
        clock.step(21 * 3_600_000);
        await tick();
        const [purchase] = (await app.storage.billing.purchases.list(person.ownId, { page: 1, pageSize: 9 })).rows;
        expect([purchase?.status, charges()]).toEqual(["failed", []]);
      });
    }
  });

  test("is not charged where it was switched off, or enough was paid, while another card was being charged", async () => {
    const people = [await subscriber(), await subscriber(), await subscriber()];
    const [off, paid] = [
      (person: Person) =>
        person.send("PUT", "/api/billing/auto-top-up", { enabled: false, threshold: 5 * USD, amount: 20 * USD }),
      ({ ownId }: Person) =>
        app.call(`/api/admin/organizations/${ownId}/credits`, {
          key: MASTER_KEY,
          json: { amount: 7 * USD, reason: "Paid by transfer" },
        }),
    ];
    stripe.meanwhile = async (_, form) => {
      stripe.meanwhile = null;
      const [first, second] = people.filter(({ ownId }) => ownId !== form["metadata[organizationId]"]);
      if (first && second) await Promise.all([off(first), paid(second)]);
    };
    await tick();
    await tick();
    expect(charges()).toHaveLength(1);
    const balances = await Promise.all(people.map(balance));
    expect(balances.sort((a, b) => a - b)).toEqual([1, 7 * USD + 1, 20 * USD + 1]);
    expect((await app.storage.audit.verify(clock.nowMs())).flatMap(({ differences }) => differences)).toEqual([]);
  });

  test("Stripe's own lists bring in what was paid and given back and never told", async () => {
    const person = await newPerson(app);
    const { body } = await person.send("POST", "/api/billing/checkout", { amountUsd: 20 });
    const { id: purchaseId } = (body as { purchase: { id: string } }).purchase;
    const shared = { metadata: { purchaseId }, currency: "usd", livemode: false };
    stripe.intents = [
      { id: "pi_lost", object: "payment_intent", status: "succeeded", amount_received: 2_000, ...shared },
      { id: "pi_open", object: "payment_intent", status: "requires_action", amount_received: 0, ...shared },
    ];
    stripe.charges = [
      { id: "ch_1", object: "charge", payment_intent: "pi_lost", amount: 2_000, amount_refunded: 500, ...shared },
    ];
    const { reconciliation } = app.service.billing;
    expect(await reconciliation.run()).toEqual({ looked: 2, mended: 2, odd: 0 });
    expect(await balance(person)).toBe(15 * USD);
    expect(await reconciliation.run()).toEqual({ looked: 2, mended: 0, odd: 0 });
    // Made on Stripe's own pages, so without our id; it failed, and Stripe counts it no more.
    const back = { object: "refund", payment_intent: "pi_lost", amount: 500, currency: "usd", metadata: {} };
    stripe.refunds = [
      { ...back, id: "re_lost", status: "failed" },
      { ...back, id: "re_well", status: "succeeded" },
    ];
    stripe.charges = [];
    expect(await reconciliation.run()).toEqual({ looked: 2, mended: 1, odd: 0 });
    expect(await balance(person)).toBe(20 * USD);
    expect(await reconciliation.run()).toEqual({ looked: 2, mended: 0, odd: 0 });
    // One that failed is not in what a charge says has gone back by now.
    stripe.refunds = [{ ...back, id: "re_lost_too", status: "failed" }];
    stripe.charges = [
      { id: "ch_1", object: "charge", payment_intent: "pi_lost", amount: 2_000, amount_refunded: 400, ...shared },
    ];
    expect(await reconciliation.run()).toEqual({ looked: 3, mended: 1, odd: 0 });
    expect(await balance(person)).toBe(16 * USD);
    expect(await reconciliation.run()).toEqual({ looked: 3, mended: 0, odd: 0 });
    stripe.charges = [];
    stripe.refunds = [];
    stripe.intents = [{ id: "pi_2", object: "payment_intent", status: "succeeded", amount_received: 1, ...shared }];
    expect(await reconciliation.run()).toMatchObject({ odd: 1 });
    expect(await balance(person)).toBe(16 * USD);
    expect((await app.storage.audit.verify(clock.nowMs())).flatMap(({ differences }) => differences)).toEqual([]);
  });

  test("Stripe's own lists bring in what was given back of a payment of long ago", async () => {
    const person = await newPerson(app);
    const { body } = await person.send("POST", "/api/billing/checkout", { amountUsd: 20 });
    const { id: purchaseId } = (body as { purchase: { id: string } }).purchase;
    const shared = { payment_intent: "pi_old", metadata: { purchaseId }, currency: "usd", livemode: false };
    const session = { mode: "payment", client_reference_id: purchaseId, payment_status: "paid", amount_total: 2_000 };
    expect(await tell("checkout.session.completed", { id: "cs_old", ...session, ...shared })).toBe(200);
    expect(await balance(person)).toBe(20 * USD);
    stripe.intents = [];
    stripe.charges = [];
    const part = { object: "refund", status: "succeeded", ...shared };
    stripe.refunds = [
      { ...part, id: "re_one", amount: 300 },
      { ...part, id: "re_two", amount: 200 },
    ];
    const charge = { id: "ch_old", object: "charge", amount: 2_000, amount_refunded: 500, ...shared };
    stripe.oldCharge = charge;
    const { reconciliation } = app.service.billing;
    expect(await reconciliation.run()).toEqual({ looked: 1, mended: 1, odd: 0 });
    expect(await balance(person)).toBe(15 * USD);
    expect(await reconciliation.run()).toEqual({ looked: 1, mended: 0, odd: 0 });
    expect((await app.storage.audit.verify(clock.nowMs())).flatMap(({ differences }) => differences)).toEqual([]);
  });
});
