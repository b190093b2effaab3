import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { PurchaseRecord } from "../../src/contract/purchases.ts";
import { newPerson, type Person } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { charge, dispute, PAID, refund, Shop, session, USD } from "./shop.ts";

const OPENED = "charge.dispute.created";
const UPDATED = "charge.dispute.updated";
const WITHDRAWN = "charge.dispute.funds_withdrawn";
const CLOSED = "charge.dispute.closed";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`money that may go back on ${kind}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await Shop.open(kind);
    });
    afterAll(() => shop.close());
    const paid = async () => {
      const person = await newPerson(shop.app);
      const purchase = await shop.buy(20, person);
      await shop.tell({ type: PAID, object: session(purchase) });
      return { person, purchase };
    };
    const amounts = async (person: Person) => (await shop.entries(person)).map(({ amount }) => amount / USD).sort();
    const tell = async (type: string, object: Readonly<Record<string, unknown>>, created?: number) =>
      expect(await shop.tell({ type, object, ...(created === undefined ? {} : { created }) })).toBe(200);

    describe("an inquiry", () => {
      test("takes nothing, however it goes on, and nothing when it is closed", async () => {
        const { person, purchase } = await paid();
        await tell(OPENED, dispute(purchase, "warning_needs_response"));
        await tell(UPDATED, dispute(purchase, "warning_under_review"));
        expect(await amounts(person)).toEqual([20]);
        await tell(CLOSED, dispute(purchase, "warning_closed"));
        expect(await amounts(person)).toEqual([20]);
        expect(await shop.purchase(purchase.id, person)).toMatchObject({ status: "paid", disputed: 0 });
      });

      test.each([UPDATED, WITHDRAWN])(
        "that becomes a dispute takes the credit then, told by %s, once",
        async (type) => {
          const { person, purchase } = await paid();
          await tell(OPENED, dispute(purchase, "warning_needs_response"));
          expect(await amounts(person)).toEqual([20]);
          await tell(type, dispute(purchase, "needs_response"));
          await tell(UPDATED, dispute(purchase, "under_review"));
          await tell(WITHDRAWN, dispute(purchase, "under_review"));
          // Delivered late: what is known is newer.
          await tell(UPDATED, dispute(purchase, "warning_under_review"));
          expect(await amounts(person)).toEqual([-20, 20]);
          await tell(CLOSED, dispute(purchase, "won"));
          expect(await shop.balance(person)).toBe(20 * USD);
          expect(await shop.purchase(purchase.id, person)).toMatchObject({ disputed: 0 });
        },
      );

      test("whose money is gone has taken the credit, whatever it is still called", async () => {
        const { person, purchase } = await paid();
        await tell(WITHDRAWN, dispute(purchase, "warning_under_review"));
        expect(await shop.balance(person)).toBe(0);
        await tell(CLOSED, dispute(purchase, "warning_closed"));
        expect(await shop.balance(person)).toBe(20 * USD);
      });
    });

    describe("a refund that fails", () => {
      const given = (purchase: PurchaseRecord, cents: number, at: number) =>
        tell("charge.refunded", charge(purchase, cents), at);
      const failed = (purchase: PurchaseRecord, id: string, cents: number, at: number, type = "refund.failed") =>
        tell(type, refund(purchase, `${id}_${purchase.id}`, cents, "failed"), at);

      test("gives the credit back, once, however often it is told", async () => {
        const { person, purchase } = await paid();
        await given(purchase, 2000, 100);
        expect(await shop.purchase(purchase.id, person)).toMatchObject({ status: "refunded" });
        await failed(purchase, "re_1", 2000, 200);
        await failed(purchase, "re_1", 2000, 200, "charge.refund.updated");
        await failed(purchase, "re_1", 2000, 201, "refund.updated");
        expect(await amounts(person)).toEqual([-20, 20, 20]);
        expect(await shop.purchase(purchase.id, person)).toMatchObject({ status: "paid", refunded: 0 });
        expect(await shop.isBlocked(person)).toBe(false);
        const receipt = await person.send("GET", `/api/billing/purchases/${purchase.id}/receipt`);
        expect(receipt).toMatchObject({ status: 200, body: { refunded: 0 } });
      });

      test("can be made again, and that is another one", async () => {
        const { person, purchase } = await paid();
        await given(purchase, 2000, 100);
        await failed(purchase, "re_1", 2000, 200);
        await given(purchase, 2000, 300);
        await given(purchase, 2000, 301);
        expect(await shop.balance(person)).toBe(0);
        await failed(purchase, "re_2", 2000, 400);
        expect(await shop.balance(person)).toBe(20 * USD);
        await given(purchase, 2000, 500);
        expect(await shop.purchase(purchase.id, person)).toMatchObject({ status: "refunded", refunded: 20 * USD });
        expect(await amounts(person)).toEqual([-20, -20, -20, 20, 20, 20]);
      });

      test.each([
        // The rest fails; one that is made again after a failure is told before the failure is, a smaller one or a greater one.
        ["g500@100 g2000@110 f1500@200", 5],
        ["g1000@100 f1000@200 g400@300", 4],
        ["g400@100 f400@200 g1000@300", 10],
      ])("in whatever order %s is told, what stands is taken and no more", async (happened, stands) => {
        const events = happened.split(" ");
        for (const order of ["012", "021", "102", "120", "201", "210"]) {
          const { person, purchase } = await paid();
          for (const index of order) {
            const [, what, cents, at] = /^(.)(\d+)@(\d+)$/.exec(events[Number(index)] ?? "") ?? [];
            if (what === "g") await given(purchase, Number(cents), Number(at));
            else await failed(purchase, "re_1", Number(cents), Number(at));
          }
          const { refunded, status } = await shop.purchase(purchase.id, person);
          const expected = [order, stands * USD, "paid", (20 - stands) * USD];
          expect([order, refunded, status, await shop.balance(person)]).toEqual(expected);
        }
      });

      test("and a refund that goes on, or went through, changes nothing", async () => {
        const { person, purchase } = await paid();
        await given(purchase, 500, 100);
        for (const status of ["pending", "succeeded", "requires_action"]) {
          await tell("refund.updated", refund(purchase, `re_${purchase.id}`, 500, status), 200);
        }
        expect(await amounts(person)).toEqual([-5, 20]);
        await tell("refund.updated", refund(purchase, `re_${purchase.id}`, 500, "canceled"), 300);
        expect(await amounts(person)).toEqual([-5, 20, 5]);
      });

      test("because the payment is disputed leaves the credit with the dispute", async () => {
        const { person, purchase } = await paid();
        await given(purchase, 1500, 100);
        await tell(OPENED, dispute(purchase, "needs_response"));
        expect(await shop.balance(person)).toBe(0);
        await failed(purchase, "re_1", 1500, 200);
        expect(await shop.balance(person)).toBe(0);
        expect(await shop.purchase(purchase.id, person)).toMatchObject({ refunded: 0, disputed: 20 * USD });
        await tell(CLOSED, dispute(purchase, "won"));
        expect(await shop.balance(person)).toBe(20 * USD);
        expect(await shop.purchase(purchase.id, person)).toMatchObject({ refunded: 0, disputed: 0 });
      });

      test("of another mode or currency is parked for a person; one of a foreign payment is left alone", async () => {
        const { person, purchase } = await paid();
        await given(purchase, 2000, 100);
        const type = "refund.failed";
        const object = refund(purchase, `re_${purchase.id}`, 2000, "failed");
        const odd = [
          { id: `evt_${kind}_live`, type, object, livemode: true },
          { id: `evt_${kind}_eur`, type, object: { ...object, currency: "eur" } },
          { id: `evt_${kind}_none`, type, object: { ...object, amount: null } },
        ];
        for (const event of odd) expect(await shop.tell(event)).toBe(200);
        const parked = (await shop.events("parked")).map(({ id }) => id);
        for (const { id } of odd) expect(parked).toContain(id);
        const foreign = `evt_${kind}_foreign`;
        expect(await shop.tell({ id: foreign, type, object: { ...object, payment_intent: "pi_other" } })).toBe(200);
        expect((await shop.events("ignored")).map(({ id }) => id)).toContain(foreign);
        expect(await shop.balance(person)).toBe(0);
      });
    });

    describe("more than one of them", () => {
      test.each([
        ["refund", [0, 1], "won", 16],
        ["dispute", [1, 0], "won", 16],
        ["refund", [0, 1], "lost", 0],
        ["dispute", [1, 0], "lost", 0],
      ] as const)(
        "a refund and a dispute about all, the %s told first, take it once",
        async (_, order, outcome, left) => {
          const { person, purchase } = await paid();
          const told = [
            ["charge.refunded", charge(purchase, 400)],
            [OPENED, dispute(purchase, "needs_response")],
          ] as const;
          for (const index of order) await tell(told[index][0], told[index][1]);
          for (const index of order) await tell(told[index][0], told[index][1]);
          expect(await shop.balance(person)).toBe(0);
          expect(await shop.purchase(purchase.id, person)).toMatchObject({ refunded: 4 * USD, disputed: 16 * USD });
          await tell(CLOSED, dispute(purchase, outcome));
          expect(await shop.balance(person)).toBe(left * USD);
          expect(await shop.purchase(purchase.id, person)).toMatchObject({ refunded: 4 * USD });
        },
      );

      test("a refund that is told when the dispute is lost takes nothing more", async () => {
        const { person, purchase } = await paid();
        await tell(OPENED, dispute(purchase, "needs_response"));
        await tell(CLOSED, dispute(purchase, "lost"));
        await tell("charge.refunded", charge(purchase, 500));
        await tell("charge.refunded", charge(purchase, 2000));
        expect(await shop.balance(person)).toBe(0);
        expect(await shop.purchase(purchase.id, person)).toMatchObject({ status: "refunded", disputed: 0 });
      });

      test("what one dispute gives back when it is won, another that stands takes", async () => {
        const { person, purchase } = await paid();
        const second = { id: `dp_2_${purchase.id}`, amount: 1500 };
        await tell(OPENED, dispute(purchase, "needs_response"));
        await tell(OPENED, dispute(purchase, "needs_response", second));
        expect(await shop.balance(person)).toBe(0);
        await tell(CLOSED, dispute(purchase, "won"));
        expect(await shop.balance(person)).toBe(5 * USD);
        expect(await shop.purchase(purchase.id, person)).toMatchObject({ disputed: 15 * USD });
        await tell(CLOSED, dispute(purchase, "won", second));
        expect(await shop.balance(person)).toBe(20 * USD);
        expect(await shop.purchase(purchase.id, person)).toMatchObject({ disputed: 0 });
      });
    });

    test("leaves books that are in order", async () => {
      const books = await shop.app.call("/api/admin/ledger/verify", { key: MASTER_KEY });
      expect(await books.json()).toMatchObject({ ok: true });
    });
  });
}
