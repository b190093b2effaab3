import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { charge, dispute, PAID, Shop, session, USD } from "./shop.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`buying credits on ${kind}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await Shop.open(kind);
    });
    afterAll(() => shop.close());
    const fresh = async () => {
      const person = await newPerson(shop.app);
      return { person, purchase: await shop.buy(20, person) };
    };

    test("a purchase is there before it is paid, and its page says that no money moves", async () => {
      const { person, purchase } = await fresh();
      expect(purchase).toMatchObject({
        organizationId: person.ownId,
        amount: 20 * USD,
        amountUsd: "20",
        totalCents: 2000,
        currency: "usd",
        status: "pending",
        provider: "test",
        mode: "test",
        receiptUrl: null,
        paidAt: null,
      });
      expect(await shop.balance(person)).toBe(0);
      const path = new URL(purchase.checkoutUrl ?? "").pathname;
      const page = await shop.app.call(path);
      expect(page.status).toBe(200);
      const html = await page.text();
      expect(html).toContain("Test mode");
      // It looks as the other pages that the server writes itself, in the dark too.
      const style = /<style>[\s\S]*<\/style>/;
      expect(style.exec(html)?.[0]).toBe(style.exec(await (await shop.app.call("/fallback/login")).text())?.[0] ?? "");
      for (const label of ["Pay", "Decline", "Pay later", "tell it three times"]) expect(html).toContain(label);
    });

    test.each(["pay", "pay-twice", "settle"])("%s credits the amount once", async (action) => {
      const { person, purchase } = await fresh();
      expect(await shop.press(purchase, action)).toBe(303);
      expect(await shop.purchase(purchase.id, person)).toMatchObject({
        status: "paid",
        paidAt: expect.any(String),
        receiptUrl: `/api/billing/purchases/${purchase.id}/receipt`,
        checkoutUrl: null,
      });
      expect(await shop.entries(person)).toEqual([{ kind: "topup", amount: 20 * USD }]);
      expect(await shop.balance(person)).toBe(20 * USD);
    });

    test.each([
      ["decline", "failed"],
      ["expire", "expired"],
      ["pay-later", "pending"],
      ["pay-silently", "pending"],
    ] as const)("%s credits nothing", async (action, status) => {
      const { person, purchase } = await fresh();
      await shop.press(purchase, action);
      expect((await shop.purchase(purchase.id, person)).status).toBe(status);
      expect(await shop.entries(person)).toEqual([]);
    });

    test("what is paid after it expired or failed is credited: the money has come", async () => {
      for (const action of ["expire", "decline"]) {
        const { person, purchase } = await fresh();
        await shop.press(purchase, action);
        await shop.press(purchase, "settle");
        expect((await shop.purchase(purchase.id, person)).status).toBe("paid");
        expect(await shop.balance(person)).toBe(20 * USD);
      }
    });

    test("a checkout that is sent again under its Idempotency-Key is one purchase", async () => {
      const person = await newPerson(shop.app);
      const send = async (path: string, json: object) => {
        const headers = { "idempotency-key": "clicked twice" };
        const answer = await shop.app.call(path, { key: person.token, json, headers });
        return { status: answer.status, body: (await answer.json()) as { purchase?: { id: string } } };
      };
      const path = "/api/billing/checkout";
      const both = await Promise.all([send(path, { amountUsd: 20 }), send(path, { amountUsd: 20 })]);
      const made = both.filter(({ status }) => status === 201).map(({ body }) => body.purchase?.id);
      expect(both.map(({ status }) => status).every((status) => status === 201 || status === 409)).toBe(true);
      expect(await send(path, { amountUsd: 20 })).toMatchObject({ status: 201, body: { purchase: { id: made[0] } } });
      expect((await send(path, { amountUsd: 30 })).status).toBe(400);
      const { body } = await person.send("GET", "/api/billing/purchases");
      expect((body as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([made[0] ?? ""]);
    });

    test("an amount is whole cents within the limits, in either unit, and never both", async () => {
      const { person } = await fresh();
      const buy = async (body: object) => (await person.send("POST", "/api/billing/checkout", body)).status;
      expect(await buy({ amountUsd: 5 })).toBe(201);
      expect(await buy({ amount: 10_000 * USD })).toBe(201);
      expect(await buy({ amountUsd: "19.99" })).toBe(201);
      expect((await person.send("POST", "/api/credits/purchase", { amount_usd: "7" })).status).toBe(201);
      for (const wrong of [
        {},
        { amountUsd: 4.99 },
        { amountUsd: 10_000.01 },
        { amountUsd: "5.001" },
        { amountUsd: "five" },
        { amountUsd: -20 },
        { amount: 5 * USD + 1 },
        { amount: 20.5 },
        { amount: 20 * USD, amountUsd: 20 },
      ]) {
        expect([wrong, await buy(wrong)]).toEqual([wrong, 400]);
      }
    });

    test("members of an organization neither buy nor see what was bought; strangers learn nothing", async () => {
      const { person, purchase } = await fresh();
      const [member, stranger] = [await newPerson(shop.app), await newPerson(shop.app)];
      const joined = { organizationId: person.ownId, userId: member.id, joinedAt: 1 };
      await shop.app.storage.accounts.organizationMembers.insert({ ...joined, role: "member" } as never);
      const named = { "x-organization-id": person.ownId };
      const paths = ["/api/billing/purchases", `/api/billing/purchases/${purchase.id}`];
      for (const path of paths) expect((await member.send("GET", path, undefined, named)).status).toBe(403);
      expect((await member.send("POST", "/api/billing/checkout", { amountUsd: 20 }, named)).status).toBe(403);
      expect((await member.send("GET", "/api/balance", undefined, named)).status).toBe(200);
      for (const path of paths) expect((await stranger.send("GET", path, undefined, named)).status).toBe(404);
      const foreign = { amountUsd: 20, organizationId: person.ownId };
      expect((await stranger.send("POST", "/api/billing/checkout", foreign)).status).toBe(404);
    });

    test("a refund takes the credits back, below zero if they are spent, and blocks the teams until more are bought", async () => {
      const { person, purchase } = await fresh();
      await shop.press(purchase, "pay");
      await shop.tell({
        type: "charge.refunded",
        object: charge(purchase, 500, { payment_intent: `pi_test_${purchase.id}` }),
      });
      expect(await shop.purchase(purchase.id, person)).toMatchObject({ status: "paid", refunded: 5 * USD });
      expect(await shop.balance(person)).toBe(15 * USD);
      // As if 16 USD had been used.
      await shop.app.storage.billing.ledger.post({
        key: `refund:used:${purchase.id}`,
        kind: "refund",
        organizationId: person.ownId,
        amount: BigInt(-16 * USD),
        cash: "test",
        atMs: Date.now(),
        userId: null,
        reason: "Used",
        details: {},
      });
      expect(await shop.isBlocked(person)).toBe(true);
      const next = await shop.buy(5, person);
      await shop.press(next, "pay");
      expect(await shop.isBlocked(person)).toBe(false);
      expect(await shop.balance(person)).toBe(4 * USD);
      await shop.press(purchase, "refund");
      expect(await shop.purchase(purchase.id, person)).toMatchObject({ status: "refunded", refunded: 20 * USD });
      expect(await shop.balance(person)).toBe(-11 * USD);
      expect(await shop.isBlocked(person)).toBe(true);
    });

    test("no more goes back than was bought, however it is told", async () => {
      const { person, purchase } = await fresh();
      await shop.tell({ type: PAID, object: session(purchase) });
      expect(await shop.tell({ type: "charge.refunded", object: charge(purchase, 2001) })).toBe(200);
      expect(await shop.balance(person)).toBe(20 * USD);
      for (const cents of [1500, 2000, 1500, 2000]) {
        await shop.tell({ type: "charge.refunded", object: charge(purchase, cents) });
      }
      await shop.tell({ type: "charge.dispute.created", object: dispute(purchase, "needs_response") });
      expect(await shop.balance(person)).toBe(0);
      expect(await shop.entries(person)).toEqual([
        { kind: "refund", amount: -5 * USD },
        { kind: "refund", amount: -15 * USD },
        { kind: "topup", amount: 20 * USD },
      ]);
    });

    test("a dispute takes the amount at once; won it comes back, lost it stays away", async () => {
      for (const [outcome, left] of [
        ["won", 20 * USD],
        ["lost", 0],
      ] as const) {
        const { person, purchase } = await fresh();
        await shop.tell({ type: PAID, object: session(purchase) });
        const created = { type: "charge.dispute.created", object: dispute(purchase, "needs_response") };
        await shop.tell(created);
        expect(await shop.balance(person)).toBe(0);
        expect((await shop.purchase(purchase.id, person)).disputed).toBe(20 * USD);
        const closed = { type: "charge.dispute.closed", object: dispute(purchase, outcome) };
        for (const told of [closed, created, closed]) expect(await shop.tell(told)).toBe(200);
        expect(await shop.balance(person)).toBe(left);
        expect((await shop.purchase(purchase.id, person)).disputed).toBe(20 * USD - left);
      }
    });

    test("a dispute that does not say about how much is parked, and takes its amount when it does", async () => {
      const { person, purchase } = await fresh();
      await shop.tell({ type: PAID, object: session(purchase) });
      const id = `evt_vague_${kind}`;
      const vague = dispute(purchase, "needs_response", { amount: null });
      expect(await shop.tell({ id, type: "charge.dispute.created", object: vague })).toBe(200);
      expect((await shop.events("parked")).map((event) => event.id)).toContain(id);
      expect(await shop.balance(person)).toBe(20 * USD);
      await shop.tell({ type: "charge.dispute.closed", object: dispute(purchase, "lost") });
      expect(await shop.balance(person)).toBe(0);
    });

    test("an operator gives back, wholly or in part, and no more than is left", async () => {
      const { person, purchase } = await fresh();
      const refund = async (body: object) => {
        const init = { key: MASTER_KEY, json: body };
        return (await shop.app.call(`/api/admin/purchases/${purchase.id}/refund`, init)).status;
      };
      expect(await refund({})).toBe(409);
      await shop.press(purchase, "pay");
      expect(await refund({ amountUsd: "20.01" })).toBe(400);
      expect(await refund({ amountUsd: "0.001" })).toBe(400);
      expect(await refund({ amountUsd: "7.50" })).toBe(200);
      expect(await shop.balance(person)).toBe(12.5 * USD);
      expect(await refund({ amountUsd: "12.51" })).toBe(400);
      expect(await refund({})).toBe(200);
      expect(await shop.balance(person)).toBe(0);
      expect(await refund({})).toBe(409);
    });

    test("of several refunds at once no more are made than the payment has room for", async () => {
      const { person, purchase } = await fresh();
      await shop.press(purchase, "pay");
      const refund = async () => {
        const init = { key: MASTER_KEY, json: { amountUsd: 9 } };
        return (await shop.app.call(`/api/admin/purchases/${purchase.id}/refund`, init)).status;
      };
      const statuses = await Promise.all([refund(), refund(), refund(), refund()]);
      expect(statuses.toSorted()).toEqual([200, 200, 400, 400]);
      expect(await shop.balance(person)).toBe(2 * USD);
    });
  });
}
