import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { DeliveryRecord } from "../../src/contract/purchases.ts";
import { endedCall } from "../../src/ledger/settle-store.ts";
import { newPerson, type Person } from "../accounts/people.ts";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { newCall } from "../ledger/new-call.ts";
import { startSmtp } from "../services/smtp.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { charge, dispute, PAID, Shop, session } from "./shop.ts";

const USD = 1_000_000_000;

interface Received {
  readonly headers: Headers;
  readonly body: string;
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`what organizations are told on ${kind}`, () => {
    let app: TestApp;
    const received: Received[] = [];
    let answer = 200;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        received.push({ headers: request.headers, body: await request.text() });
        return new Response(null, { status: answer });
      },
    });
    const url = `http://127.0.0.1:${server.port}/hook`;
    beforeAll(async () => {
      const database = await migratedUrl(kind);
      app = await startApp(
        "general_settings:\n  signup_credits: 0\n  billing: {allow_private_webhooks: true}\n",
        database,
      );
    });
    afterAll(async () => {
      await app.close();
      await server.stop(true);
    });

    let serial = 0;
    const move = (organizationId: string, amount: number) =>
      app.storage.billing.ledger.post({
        key: `topup:${organizationId}:${++serial}`,
        kind: "topup",
        organizationId,
        amount: BigInt(amount),
        cash: "test",
        atMs: Date.now(),
        userId: null,
        reason: "Moved",
        details: {},
      });
    const subscribe = async (person: Person, events: string[] = []) => {
      const { status, body } = await person.send("POST", "/api/webhook-endpoints", { url, events });
      expect(status).toBe(201);
      return body as { id: string; secret: string };
    };
    /** What the person's organization is told now; what others are told again is theirs. */
    const deliver = async (person: Person): Promise<readonly { type: string; data: Record<string, unknown> }[]> => {
      received.length = 0;
      await app.service.outbox.deliverDue();
      return received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.organizationId === person.ownId);
    };

    test("a balance below a threshold is told once per crossing, also when many move it at once", async () => {
      const person = await newPerson(app);
      await subscribe(person, ["balance.low", "balance.depleted"]);
      await move(person.ownId, 20 * USD);
      const thresholds = [10 * USD, 5 * USD];
      expect((await person.send("PUT", "/api/billing/alerts", { thresholds })).status).toBe(200);
      await Promise.all(Array.from({ length: 12 }, () => move(person.ownId, -1 * USD)));
      const first = await deliver(person);
      expect(first.map(({ type, data }) => [type, data.threshold])).toEqual([["balance.low", String(10 * USD)]]);
      await move(person.ownId, -4 * USD);
      await move(person.ownId, -1);
      expect((await deliver(person)).map(({ data }) => data.threshold)).toEqual([String(5 * USD)]);
      // Above the first and below it again: told again, and not of the second, which was not crossed back.
      await move(person.ownId, 7 * USD);
      await move(person.ownId, -2 * USD);
      expect((await deliver(person)).map(({ data }) => data.threshold)).toEqual([String(10 * USD)]);
      await move(person.ownId, -20 * USD);
      await move(person.ownId, -1 * USD);
      expect((await deliver(person)).map(({ type }) => type)).toEqual(["balance.depleted"]);
    });

    test("usage that crosses a threshold is told once, however many batches race to settle it", async () => {
      const person = await newPerson(app);
      await subscribe(person, ["balance.low"]);
      await move(person.ownId, 20 * USD);
      await person.send("PUT", "/api/billing/alerts", { thresholds: [10 * USD] });
      const batch = () => [
        endedCall(newCall({ organizationId: person.ownId, cost: BigInt(2 * USD) }), [`wallet:${person.ownId}`]),
      ];
      await Promise.all(
        Array.from({ length: 8 }, (_, at) => app.storage.settlement.settle(`process ${at}`, batch(), Date.now())),
      );
      expect((await deliver(person)).map(({ type }) => type)).toEqual(["balance.low"]);
    });

    test("teams that are blocked and unblocked, and what is paid, are told to whoever wants to know", async () => {
      const person = await newPerson(app);
      await subscribe(person, ["team.blocked", "team.unblocked", "purchase.paid"]);
      await move(person.ownId, -1);
      const { body } = await person.send("POST", "/api/billing/checkout", { amountUsd: 20 });
      const { purchase } = body as { purchase: { id: string } };
      await app.call(`/checkout/test/${purchase.id}/pay-twice`, { method: "POST" });
      expect((await deliver(person)).map(({ type }) => type).sort()).toEqual([
        "purchase.paid",
        "team.blocked",
        "team.unblocked",
      ]);
    });

    test("a delivery is signed as Standard Webhooks has it, is sent again until it is taken, and can be replayed", async () => {
      const person = await newPerson(app);
      const endpoint = await subscribe(person, ["balance.depleted"]);
      answer = 500;
      await move(person.ownId, -1);
      await deliver(person);
      const list = async () => {
        const { body } = await person.send("GET", `/api/webhook-endpoints/${endpoint.id}/deliveries`);
        return (body as { data: DeliveryRecord[] }).data;
      };
      expect(await list()).toMatchObject([{ status: "failed", attempts: 1, responseStatus: 500 }]);
      answer = 204;
      const [delivery] = await list();
      // It is tried again by itself, in a second.
      expect(Date.parse(delivery?.nextAttemptAt ?? "")).toBeGreaterThan(Date.parse(delivery?.updatedAt ?? ""));
      const path = `/api/webhook-endpoints/${endpoint.id}/deliveries/${delivery?.id}/replay`;
      expect((await person.send("POST", path)).status).toBe(200);
      await deliver(person);
      expect(await list()).toMatchObject([
        { status: "delivered", attempts: 2, responseStatus: 204, nextAttemptAt: null },
      ]);
      const { headers, body } = received.find((one) => one.body.includes(person.ownId)) as Received;
      const id = headers.get("webhook-id");
      const key = Buffer.from(endpoint.secret.replace("whsec_", ""), "base64");
      const signed = `${id}.${headers.get("webhook-timestamp")}.${body}`;
      const expected = createHmac("sha256", key).update(signed).digest("base64");
      expect(headers.get("webhook-signature")).toBe(`v1,${expected}`);
      const rotated = (await person.send("POST", `/api/webhook-endpoints/${endpoint.id}/rotate`)).body as {
        secret: string;
      };
      expect(rotated.secret).not.toBe(endpoint.secret);
    });

    test("there are at most twenty, also when more are added at once", async () => {
      const person = await newPerson(app);
      for (let made = 0; made < 18; made++) await subscribe(person);
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => person.send("POST", "/api/webhook-endpoints", { url })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    });

    test("one that several change at once has what each has changed, and each new secret takes the place of another", async () => {
      const person = await newPerson(app);
      const { id, secret } = await subscribe(person);
      const change = (method: string, path: string, body?: object) =>
        person.send(method, `/api/webhook-endpoints/${id}${path}`, body);
      await Promise.all([
        change("PATCH", "", { status: "disabled" }),
        change("PATCH", "", { description: "Ours" }),
        change("PATCH", "", { events: ["balance.low"] }),
      ]);
      expect((await change("GET", "")).body).toMatchObject({
        url,
        status: "disabled",
        description: "Ours",
        events: ["balance.low"],
      });
      const rotated = await Promise.all([1, 2, 3].map(() => change("POST", "/rotate")));
      const secrets = rotated.map(({ body }) => (body as { secret: string }).secret);
      expect(new Set([secret, ...secrets]).size).toBe(4);
    });

    test("one that is switched off or removed hears nothing", async () => {
      const person = await newPerson(app);
      const endpoint = await subscribe(person);
      await move(person.ownId, -1);
      await person.send("PATCH", `/api/webhook-endpoints/${endpoint.id}`, { status: "disabled" });
      expect(await deliver(person)).toEqual([]);
      expect((await person.send("DELETE", `/api/webhook-endpoints/${endpoint.id}`)).status).toBe(200);
      expect((await person.send("GET", `/api/webhook-endpoints/${endpoint.id}`)).status).toBe(404);
    });

    describe("topping up by itself", () => {
      const save = async (person: Person, action: string) => {
        const { body } = await person.send("POST", "/api/billing/payment-method", undefined);
        const page = new URL((body as { setupUrl: string }).setupUrl).pathname;
        expect(await (await app.call(page)).text()).toContain("Save a card");
        expect((await app.call(`${page}/${action}`, { method: "POST" })).status).toBe(303);
      };
      const put = (person: Person, given: object = {}) =>
        person.send("PUT", "/api/billing/auto-top-up", {
          enabled: true,
          threshold: 5 * USD,
          amount: 20 * USD,
          ...given,
        });
      const balance = async (person: Person) =>
        ((await person.send("GET", "/api/balance")).body as { balance: number }).balance;
      const tick = () => app.service.billing.tick();

      test("needs a saved means of payment, and buys when the balance is below the threshold", async () => {
        const person = await newPerson(app);
        expect((await put(person)).status).toBe(409);
        await save(person, "save");
        expect((await put(person)).body as object).toMatchObject({
          enabled: true,
          paymentMethod: { label: "test card" },
        });
        await move(person.ownId, 5 * USD);
        await tick();
        expect(await balance(person)).toBe(5 * USD);
        await move(person.ownId, -1);
        // Several at once, as replicas would: one attempt, one charge.
        await Promise.all([tick(), tick(), tick()]);
        expect(await balance(person)).toBe(25 * USD - 1);
        await tick();
        expect(await balance(person)).toBe(25 * USD - 1);
      });

      test("goes on after settings that were read before a top-up and written after it", async () => {
        const person = await newPerson(app);
        await save(person, "save");
        await put(person);
        const read = await app.storage.billing.topUps.find(person.ownId);
        if (!read) throw new Error("the settings are there");
        await move(person.ownId, 1);
        await tick();
        expect(await balance(person)).toBe(20 * USD + 1);
        await app.storage.billing.topUps.put({ ...read, threshold: BigInt(30 * USD) });
        await tick();
        expect(await balance(person)).toBe(40 * USD + 1);
      });

      test("never buys more than the cap of the month", async () => {
        const person = await newPerson(app);
        await save(person, "save");
        expect((await put(person, { monthlyCap: 10 * USD })).status).toBe(400);
        await put(person, { monthlyCap: 45 * USD });
        await move(person.ownId, -100 * USD);
        for (let i = 0; i < 4; i++) await tick();
        expect(await balance(person)).toBe(-60 * USD);
      });

      test("waits after a decline, tells of it, and is switched off after the third", async () => {
        const person = await newPerson(app);
        await save(person, "save-declined");
        await subscribe(person, ["auto_top_up.failed", "auto_top_up.disabled", "balance.low"]);
        await put(person);
        await move(person.ownId, 1);
        await tick();
        await tick();
        const seen = async () =>
          (await person.send("GET", "/api/billing/auto-top-up")).body as { declines: number; enabled: boolean };
        expect(await seen()).toMatchObject({ declines: 1, enabled: true, retryAt: expect.any(String) });
        for (const declines of [2, 3]) {
          await app.storage.billing.topUps.update(person.ownId, { retryAt: Date.now() - 1 });
          await tick();
          expect((await seen()).declines).toBe(declines);
        }
        expect((await seen()).enabled).toBe(false);
        await tick();
        expect((await deliver(person)).map(({ type }) => type).sort()).toEqual([
          "auto_top_up.disabled",
          "auto_top_up.failed",
          "auto_top_up.failed",
        ]);
        expect(await balance(person)).toBe(1);
      });

      test("while it is healthy nobody is alarmed about a low balance", async () => {
        const person = await newPerson(app);
        await save(person, "save");
        await subscribe(person, ["balance.low"]);
        await move(person.ownId, 20 * USD);
        await person.send("PUT", "/api/billing/alerts", { thresholds: [10 * USD] });
        await put(person);
        await move(person.ownId, -16 * USD);
        expect(await deliver(person)).toEqual([]);
        expect((await person.send("DELETE", "/api/billing/payment-method")).status).toBe(200);
        await move(person.ownId, 10 * USD);
        await move(person.ownId, -10 * USD);
        expect((await deliver(person)).map(({ type }) => type)).toEqual(["balance.low"]);
      });
    });
  });
}

describe("by mail", () => {
  test("that topping up was switched off is told with its reason, and to nobody where nobody is left", async () => {
    const smtp = await startSmtp();
    const app = await startApp(`general_settings:\n  signup_credits: 0\n  smtp_url: ${smtp.url}\n`);
    const shop = Shop.over(app, await newPerson(app));
    try {
      const { person } = shop;
      const { body } = await person.send("POST", "/api/billing/payment-method");
      await app.call(`${new URL((body as { setupUrl: string }).setupUrl).pathname}/save`, { method: "POST" });
      const settings = { enabled: true, threshold: 5 * USD, amount: 20 * USD };
      expect((await person.send("PUT", "/api/billing/auto-top-up", settings)).status).toBe(200);
      const purchase = await shop.buy(10);
      await shop.tell({ type: PAID, object: session(purchase) });
      await shop.tell({ type: "charge.dispute.created", object: dispute(purchase, "needs_response") });
      await app.service.outbox.deliverDue();
      const off = () => smtp.received.filter(({ raw }) => raw.includes("Topping up is switched off"));
      expect(off().map(({ to }) => to)).toEqual([[person.email]]);
      expect(off()[0]?.text).toContain("A payment was disputed.");
      expect(off()[0]?.text).not.toContain("declined");
      const { length } = smtp.received;
      const removed = await app.call(`/api/admin/users/${person.id}`, { method: "DELETE", key: MASTER_KEY });
      expect(removed.status).toBe(200);
      await shop.tell({ type: "charge.dispute.closed", object: dispute(purchase, "won") });
      await shop.tell({ type: "charge.refunded", object: charge(purchase, 1000) });
      await app.service.outbox.deliverDue();
      expect(smtp.received.slice(length).map(({ to }) => to)).toEqual([]);
    } finally {
      await app.close();
      await smtp.stop();
    }
  });

  test("whoever looks after the money is told, with names that are text and no more", async () => {
    const smtp = await startSmtp();
    const app = await startApp(`general_settings:\n  signup_credits: 0\n  smtp_url: ${smtp.url}\n`);
    try {
      const person = await newPerson(app);
      const changes = { id: person.ownId, billingEmail: "money@example.com", name: "<b>Ours</b>" };
      expect((await person.send("PUT", "/api/gw/organizations", changes)).status).toBe(200);
      await app.storage.accounts.organizations.update(person.ownId, { billingEmailVerifiedAt: Date.now() });
      await person.send("PUT", "/api/billing/alerts", { thresholds: [5 * USD] });
      const move = (key: string, amount: number) =>
        app.storage.billing.ledger.post({
          key,
          kind: "topup",
          organizationId: person.ownId,
          amount: BigInt(amount),
          cash: "test",
          atMs: Date.now(),
          userId: null,
          reason: "Moved",
          details: {},
        });
      await move("topup:up", 6 * USD);
      await move("topup:down", -2 * USD);
      await app.service.outbox.deliverDue();
      const mail = await smtp.mailTo("money@example.com");
      expect(mail.text).toContain("the balance is 4 USD, below the 5 USD");
      expect(mail.raw).toContain("Credit is running low");
      expect(mail.text).toContain("http://127.0.0.1:4000/ui/billing");
      expect(mail.raw).toContain("&lt;b&gt;Ours");
      expect(smtp.received.filter(({ to }) => to.includes("money@example.com"))).toHaveLength(1);
    } finally {
      await app.close();
      await smtp.stop();
    }
  });
});
