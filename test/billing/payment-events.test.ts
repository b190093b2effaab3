import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PaymentWebhooks } from "../../src/billing/payment-webhooks.ts";
import { signBody } from "../../src/billing/providers/signature.ts";
import { TestProvider } from "../../src/billing/providers/test-provider.ts";
import type { BillingStores } from "../../src/billing/store.ts";
import { createLogger } from "../../src/lib/log.ts";
import { testPaymentSecret } from "../../src/start/compose-billing.ts";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { ROOT_SECRET } from "../security/world.ts";
import { DATABASES } from "../storage/databases.ts";
import { rejection } from "../storage/rejection.ts";
import { charge, dispute, PAID, Shop, session, USD } from "./shop.ts";

const SECRET = testPaymentSecret(ROOT_SECRET);

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`events of payments on ${kind}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await Shop.open(kind);
    });
    afterAll(() => shop.close());
    const fresh = async () => {
      const person = await newPerson(shop.app);
      return { person, purchase: await shop.buy(20, person) };
    };

    test("an event that is delivered a hundred times at once credits once", async () => {
      const { person, purchase } = await fresh();
      const id = `evt_many_${kind}`;
      const told = Array.from({ length: 100 }, () => shop.tell({ id, type: PAID, object: session(purchase) }));
      const statuses = await Promise.all(told);
      // Who had to wait too long for the database is told so and asks again; nobody hears of success too early.
      expect(new Set(statuses).difference(new Set([200, 503])).size).toBe(0);
      expect(statuses).toContain(200);
      expect(await shop.tell({ id, type: PAID, object: session(purchase) })).toBe(200);
      expect(await shop.entries(person)).toEqual([{ kind: "topup", amount: 20 * USD }]);
    });

    test("different events of one payment, at once and in any order, credit once", async () => {
      const { person, purchase } = await fresh();
      const intent = {
        id: `pi_${purchase.id}`,
        metadata: { purchaseId: purchase.id },
        amount_received: 2000,
        currency: "usd",
        livemode: false,
      };
      await Promise.all([
        shop.tell({ type: "checkout.session.async_payment_succeeded", object: session(purchase) }),
        shop.tell({ type: "payment_intent.succeeded", object: intent }),
        shop.tell({ type: PAID, object: session(purchase) }),
        shop.tell({ type: "checkout.session.expired", object: session(purchase) }),
      ]);
      expect((await shop.purchase(purchase.id, person)).status).toBe("paid");
      expect(await shop.entries(person)).toEqual([{ kind: "topup", amount: 20 * USD }]);
    });

    test("a payment for an organization that was removed is in the books, and waits for a person", async () => {
      const { person, purchase } = await fresh();
      const byOperator = (method: string, path: string, json?: object) =>
        shop.app.call(path, { method, key: MASTER_KEY, ...(json ? { json } : {}) });
      const removal = { organization_ids: [person.ownId] };
      expect((await byOperator("DELETE", "/organization/delete", removal)).status).toBe(200);
      const paid = session(purchase, { payment_intent: `pi_test_${purchase.id}` });
      const told = { id: `evt_late_${kind}`, type: PAID, object: paid };
      expect(await shop.tell(told)).toBe(200);
      const waiting = async () => {
        const answer = await byOperator("GET", "/api/admin/webhook-events?status=parked&pageSize=100");
        const { data } = (await answer.json()) as { data: { id: string; purchaseId: string; error: string }[] };
        return data.find(({ purchaseId }) => purchaseId === purchase.id);
      };
      expect(await waiting()).toMatchObject({ id: told.id, error: expect.stringContaining("removed") });
      const wallet = async () => Number((await shop.app.storage.ledger.wallet(person.ownId)).balance);
      expect(await wallet()).toBe(20 * USD);
      // The way out: the money goes back, and the event is sent again from the provider's pages.
      expect((await byOperator("POST", `/api/admin/purchases/${purchase.id}/refund`, {})).status).toBe(200);
      expect(await wallet()).toBe(0);
      expect(await shop.tell(told)).toBe(200);
      expect(await waiting()).toBeUndefined();
      expect(await wallet()).toBe(0);
    });

    test("a refund that overtakes the payment comes to the same", async () => {
      const { person, purchase } = await fresh();
      expect(await shop.tell({ type: "charge.refunded", object: charge(purchase, 2000) })).toBe(200);
      expect(await shop.tell({ type: PAID, object: session(purchase) })).toBe(200);
      expect(await shop.purchase(purchase.id, person)).toMatchObject({ status: "refunded", refunded: 20 * USD });
      expect(await shop.balance(person)).toBe(0);
    });

    test("a dispute that overtakes the payment is asked for again, and then taken", async () => {
      const { person, purchase } = await fresh();
      const told = { id: `evt_early_${kind}`, type: "charge.dispute.closed", object: dispute(purchase, "lost") };
      expect(await shop.tell(told)).toBe(500);
      await shop.tell({ type: PAID, object: session(purchase) });
      expect(await shop.tell(told)).toBe(200);
      expect(await shop.balance(person)).toBe(0);
      const [event] = (await shop.events()).filter(({ id }) => id === told.id);
      expect(event).toMatchObject({ status: "done", attempts: 2, error: null });
    });

    test("an event that nobody signed, or not now, is refused and changes nothing", async () => {
      const { person, purchase } = await fresh();
      const body = JSON.stringify({ id: "evt_forged", type: PAID, data: { object: session(purchase) } });
      const now = Date.now();
      const good = signBody(body, SECRET, now);
      const cases: readonly (readonly [string, string | null])[] = [
        ["none", null],
        ["empty", ""],
        ["another secret", signBody(body, "whsec_guess", now)],
        ["an empty secret", signBody(body, "", now)],
        ["another body", signBody(`${body} `, SECRET, now)],
        ["too old", signBody(body, SECRET, now - 301_000)],
        ["from the future", signBody(body, SECRET, now + 301_000)],
        ["another time on it", good.replace(/t=\d+/, `t=${Math.floor(now / 1000) - 5}`)],
        ["no time", good.replace(/t=\d+,/, "")],
        ["another scheme", good.replace("v1=", "v0=")],
        ["cut short", good.slice(0, -1)],
      ];
      for (const [what, signature] of cases) expect([what, await shop.post(body, signature)]).toEqual([what, 400]);
      expect(await shop.post(`{"x":"${"x".repeat(256 * 1024)}"}`, good)).toBe(413);
      expect(await shop.post(body, good, "stripe")).toBe(404);
      expect(await shop.entries(person)).toEqual([]);
      expect((await shop.events()).some(({ id }) => id === "evt_forged")).toBe(false);
      expect(await shop.post(body, good)).toBe(200);
      expect(await shop.balance(person)).toBe(20 * USD);
    });

    test.each([
      ["the amount", { amount_total: 1999 }],
      ["no amount", { amount_total: null }],
      ["a fraction", { amount_total: 2000.5 }],
      ["the currency", { currency: "eur" }],
      ["the mode", { livemode: true }],
    ])("what was paid does not fit in %s: parked for a person, and not credited", async (what, given) => {
      const { person, purchase } = await fresh();
      const id = `evt_${kind}_${what}`;
      expect(await shop.tell({ id, type: PAID, object: session(purchase, given) })).toBe(200);
      expect(await shop.entries(person)).toEqual([]);
      expect((await shop.purchase(purchase.id, person)).status).toBe("pending");
      expect((await shop.events("parked")).map((event) => event.id)).toContain(id);
      expect(shop.app.logged.join("")).toContain("a payment event needs a person");
    });

    test("what is of no interest, and what was sold elsewhere, is noted and left alone", async () => {
      expect(await shop.tell({ id: `evt_other_${kind}`, type: "invoice.created", object: {} })).toBe(200);
      const foreign = { payment_status: "paid", amount_total: 2000, currency: "usd", livemode: false };
      expect(await shop.tell({ id: `evt_foreign_${kind}`, type: PAID, object: foreign })).toBe(200);
      const ignored = (await shop.events("ignored")).map(({ id }) => id);
      expect(ignored).toContain(`evt_other_${kind}`);
      expect(ignored).toContain(`evt_foreign_${kind}`);
    });

    describe("with time and stores of the test's own", () => {
      let now = Date.now();
      const clock = { nowMs: () => now, monotonicMs: () => now };
      const provider = new TestProvider({ clock, secret: SECRET, send: async () => new Response() });
      const logged: string[] = [];
      const log = createLogger("debug", (line) => logged.push(line));
      const webhooks = (stores: BillingStores) =>
        new PaymentWebhooks({ stores, providers: [provider], clock, log, forgetTeam: () => undefined });
      const deliver = (stores: BillingStores, event: object) => {
        const body = JSON.stringify(event);
        const headers = new Headers({ "stripe-signature": signBody(body, SECRET, now) });
        return webhooks(stores).receive("test", headers, Buffer.from(body));
      };

      test("of a purchase that nobody knows one is told to wait for an hour, then it is parked and told about", async () => {
        const unknown = { client_reference_id: "01900000-0000-7000-8000-000000000000", payment_status: "paid" };
        const event = { id: `evt_unknown_${kind}`, type: PAID, data: { object: unknown } };
        const { billing } = shop.app.storage;
        expect(await rejection(deliver(billing, event))).toMatchObject({ kind: "internal" });
        now += 59 * 60_000;
        expect(await rejection(deliver(billing, event))).toMatchObject({ kind: "internal" });
        now += 60_000;
        logged.length = 0;
        await deliver(billing, event);
        expect(logged.join("")).toContain("a payment event needs a person");
        expect((await shop.events("parked")).map(({ id }) => id)).toContain(event.id);
      });

      /** The stores of which one call fails, counted over everything that a transaction does. */
      const failingAt = (inner: BillingStores, step: { left: number }): BillingStores => {
        const breakable = <T extends object>(part: T): T =>
          new Proxy(part, {
            get: (target, name) => {
              const value = Reflect.get(target, name);
              if (typeof value !== "function") return value;
              return async (...given: unknown[]) => {
                if (step.left-- === 0) throw new Error("the process ends here");
                return value.apply(target, given);
              };
            },
          });
        return {
          ...inner,
          transaction: (work) =>
            inner.transaction((tx) =>
              work({
                ...tx,
                events: breakable(tx.events),
                purchases: breakable(tx.purchases),
                ledger: breakable(tx.ledger),
                audit: breakable(tx.audit),
              }),
            ),
        };
      };

      test("whatever statement it breaks at, nothing is half done, and the next delivery credits once", async () => {
        const { billing } = shop.app.storage;
        let broken = 0;
        for (let at = 0; ; at++) {
          const { person, purchase } = await fresh();
          const event = { id: `evt_${kind}_breaks_${at}`, type: PAID, data: { object: session(purchase) } };
          const step = { left: at };
          const failed = await deliver(failingAt(billing, step), event).then(
            () => false,
            () => true,
          );
          if (!failed) {
            expect(await shop.balance(person)).toBe(20 * USD);
            break;
          }
          broken++;
          expect(await shop.entries(person)).toEqual([]);
          expect((await shop.purchase(purchase.id, person)).status).toBe("pending");
          await deliver(billing, event);
          await deliver(billing, event);
          expect(await shop.entries(person)).toEqual([{ kind: "topup", amount: 20 * USD }]);
        }
        expect(broken).toBeGreaterThanOrEqual(5);
      });
    });
  });
}
