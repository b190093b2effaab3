import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newPerson, type Person } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { charge, dispute, PAID, Shop, session, USD } from "./shop.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`whose card is charged by itself on ${kind}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await Shop.open(kind);
    });
    afterAll(() => shop.close());

    const tick = () => shop.app.service.billing.topUps.tick();
    const byOperator = async (method: string, path: string, json: object) =>
      (await shop.app.call(path, { method, key: MASTER_KEY, json })).status;
    const bought = async ({ ownId }: Person) =>
      (await shop.app.storage.billing.purchases.list(ownId, { page: 1, pageSize: 9 })).rows.filter(
        ({ kind }) => kind === "auto_top_up",
      ).length;
    const expectBooks = async () => {
      const findings = await shop.app.storage.audit.verify(Date.now());
      expect(findings.flatMap(({ differences }) => differences)).toEqual([]);
    };

    /** Somebody with a saved card who is topped up below ten dollars. */
    const subscriber = async (): Promise<Person> => {
      const person = await newPerson(shop.app);
      const { body } = await person.send("POST", "/api/billing/payment-method");
      const page = new URL((body as { setupUrl: string }).setupUrl).pathname;
      expect((await shop.app.call(`${page}/save`, { method: "POST" })).status).toBe(303);
      const settings = { enabled: true, threshold: 10 * USD, amount: 20 * USD };
      expect((await person.send("PUT", "/api/billing/auto-top-up", settings)).status).toBe(200);
      return person;
    };

    test("that of somebody who never had any credit is: nothing is less than the threshold, too", async () => {
      const person = await subscriber();
      await tick();
      await tick();
      expect(await shop.balance(person)).toBe(20 * USD);
      await expectBooks();
    });

    test("that of an organization that was removed is not, although what it paid later still counts", async () => {
      const person = await subscriber();
      const purchase = await shop.buy(5, person);
      const removal = { organization_ids: [person.ownId] };
      expect(await byOperator("DELETE", "/organization/delete", removal)).toBe(200);
      expect(await shop.tell({ type: PAID, object: session(purchase) })).toBe(200);
      await tick();
      expect(await bought(person)).toBe(0);
      expect((await shop.app.storage.ledger.wallet(person.ownId)).balance).toBe(BigInt(5 * USD));
      await expectBooks();
    });

    test("that of an organization that is invoiced is not: what it owes is on its bill, and would be paid twice", async () => {
      const person = await subscriber();
      const path = `/api/admin/organizations/${person.ownId}`;
      expect(await byOperator("PATCH", path, { billing: "invoiced" })).toBe(200);
      await tick();
      expect(await bought(person)).toBe(0);
      expect(await byOperator("PATCH", path, { billing: "prepaid" })).toBe(200);
      await tick();
      expect(await bought(person)).toBe(1);
    });

    test("that of somebody who disputes a payment is not, until they switch it on again", async () => {
      const person = await subscriber();
      const purchase = await shop.buy(20, person);
      await shop.tell({ type: PAID, object: session(purchase) });
      await shop.tell({ type: "charge.dispute.created", object: dispute(purchase, "needs_response") });
      await tick();
      expect([await bought(person), await shop.balance(person)]).toEqual([0, 0]);
      const settings = { enabled: true, threshold: 10 * USD, amount: 20 * USD };
      expect((await person.send("GET", "/api/billing/auto-top-up")).body).toMatchObject({ enabled: false });
      expect((await person.send("PUT", "/api/billing/auto-top-up", settings)).status).toBe(200);
      // Told again, it is no news.
      await shop.tell({ type: "charge.dispute.closed", object: dispute(purchase, "lost") });
      await tick();
      expect([await bought(person), await shop.balance(person)]).toEqual([1, 20 * USD]);
      await expectBooks();
    });

    test("that of somebody whose refund leaves less than the threshold is not, until they switch it on again", async () => {
      const person = await subscriber();
      const purchase = await shop.buy(30, person);
      await shop.tell({ type: PAID, object: session(purchase) });
      // Enough is left: nothing changes.
      await shop.tell({ type: "charge.refunded", object: charge(purchase, 1000) });
      await tick();
      expect((await person.send("GET", "/api/billing/auto-top-up")).body).toMatchObject({ enabled: true });
      await shop.tell({ type: "charge.refunded", object: charge(purchase, 2500) });
      await tick();
      expect([await bought(person), await shop.balance(person)]).toEqual([0, 5 * USD]);
      expect((await person.send("GET", "/api/billing/auto-top-up")).body).toMatchObject({ enabled: false });
      const settings = { enabled: true, threshold: 10 * USD, amount: 20 * USD };
      expect((await person.send("PUT", "/api/billing/auto-top-up", settings)).status).toBe(200);
      // Told again, it is no news.
      await shop.tell({ type: "charge.refunded", object: charge(purchase, 2500) });
      await tick();
      expect([await bought(person), await shop.balance(person)]).toEqual([1, 25 * USD]);
      await expectBooks();
    });

    test("that of somebody who was removed is not: nobody is left who could switch it off", async () => {
      const person = await subscriber();
      expect(await byOperator("DELETE", `/api/admin/users/${person.id}`, {})).toBe(200);
      await tick();
      expect(await bought(person)).toBe(0);
      await expectBooks();
    });

    test("that of an organization that an operator has blocked is not, until it is unblocked", async () => {
      const person = await subscriber();
      const path = `/api/admin/organizations/${person.ownId}`;
      expect(await byOperator("PATCH", path, { status: "blocked" })).toBe(200);
      await tick();
      expect(await bought(person)).toBe(0);
      expect(await byOperator("PATCH", path, { status: "active" })).toBe(200);
      await tick();
      expect(await bought(person)).toBe(1);
    });
  });
}
