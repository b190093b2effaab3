import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endedCall } from "../../src/ledger/settle-store.ts";
import { newPerson, type Person } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { newCall } from "../ledger/new-call.ts";
import { DATABASES } from "../storage/databases.ts";
import { charge, dispute, PAID, Shop, session, USD } from "./shop.ts";

/** A model that takes a cent for each call. */
const SETTINGS = `  billing: {allow_private_webhooks: true}
model_list:
  - model_name: cent
    litellm_params: { model: echo/echo }
    model_info: { mode: chat, input_cost_per_query: 0.01 }
`;
const CENT = USD / 100;

interface SeenTeam {
  readonly id: string;
  readonly blockedReason: string | null;
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`features of billing that meet on ${kind}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await Shop.open(kind, SETTINGS);
    });
    afterAll(() => shop.close());

    const byOperator = async (method: string, path: string, json?: object) => {
      const answer = await shop.app.call(path, { method, key: MASTER_KEY, ...(json ? { json } : {}) });
      return { status: answer.status, body: (await answer.json()) as never };
    };
    const switchBilling = async ({ ownId }: Person, billing: "prepaid" | "invoiced") =>
      expect((await byOperator("PATCH", `/api/admin/organizations/${ownId}`, { billing })).status).toBe(200);
    const grant = async ({ ownId }: Person, amount: number) => {
      const path = `/api/admin/organizations/${ownId}/credits`;
      expect((await byOperator("POST", path, { amount, reason: "Given" })).status).toBe(200);
    };
    const teamsOf = async (person: Person) =>
      ((await person.send("GET", "/api/gw/teams")).body as { data: readonly SeenTeam[] }).data;
    const reasons = async (person: Person) => (await teamsOf(person)).map(({ blockedReason }) => blockedReason);
    const expectBooks = async () => {
      const findings = await shop.app.storage.audit.verify(Date.now());
      expect(findings.flatMap(({ differences }) => differences)).toEqual([]);
    };
    const spend = async (person: Person, cost: number, given: { readonly teamId?: string } = {}) => {
      const [team] = await teamsOf(person);
      const owner = { organizationId: person.ownId, teamId: team?.id ?? "", keyId: "key", userId: person.id };
      const call = newCall({ ...owner, at: Date.now(), cost: BigInt(cost), ...given });
      await shop.app.storage.settlement.settle("here", [endedCall(call, [])], Date.now());
    };
    /** What the person's organization was told since the last time. */
    const listen = async (person: Person, events: readonly string[]) => {
      const endpoint = { url: "http://127.0.0.1:9/hook", events };
      const { id } = (await person.send("POST", "/api/webhook-endpoints", endpoint)).body as { id: string };
      let seen = 0;
      return async () => {
        const { rows } = await shop.app.storage.billing.deliveries.list(id, { page: 1, pageSize: 100 });
        const fresh = rows.toReversed().slice(seen);
        seen = rows.length;
        return fresh.map(({ type }) => type);
      };
    };
    const callCent = async (key: string): Promise<number> => {
      const json = { model: "cent", messages: [{ role: "user", content: "Hello!" }] };
      const response = await shop.app.call("/v1/chat/completions", { key, json });
      await response.text();
      return response.status;
    };
    const newKey = async (person: Person, teamId: string | undefined, organizationId = person.ownId) => {
      const made = { name: `Key of ${person.id}`, teamId };
      const answer = await person.send("POST", "/api/gw/api-keys", made, { "x-organization-id": organizationId });
      return (answer.body as { key: string }).key;
    };

    test("a balance that fell while it was invoiced is told of when it has to be paid in advance, and once", async () => {
      const person = await newPerson(shop.app);
      const told = await listen(person, ["balance.low", "balance.depleted", "team.blocked"]);
      await grant(person, 20 * USD);
      await person.send("PUT", "/api/billing/alerts", { thresholds: [10 * USD] });
      await switchBilling(person, "invoiced");
      await spend(person, 15 * USD);
      expect(await told()).toEqual([]);
      await switchBilling(person, "prepaid");
      expect(await told()).toEqual(["balance.low"]);
      await switchBilling(person, "prepaid");
      await spend(person, 1);
      expect(await told()).toEqual([]);
      await switchBilling(person, "invoiced");
      await spend(person, 15 * USD);
      expect(await told()).toEqual([]);
      await switchBilling(person, "prepaid");
      expect((await told()).toSorted()).toEqual(["balance.depleted", "team.blocked"]);
      await expectBooks();
    });

    test("an organization that was never charged is not told that its credit is used up when it begins to pay in advance", async () => {
      const person = await newPerson(shop.app);
      const told = await listen(person, ["balance.depleted"]);
      await switchBilling(person, "invoiced");
      await switchBilling(person, "prepaid");
      expect(await told()).toEqual([]);
    });

    test("a low balance is news where the month's cap keeps it from being topped up", async () => {
      const person = await newPerson(shop.app);
      const { body } = await person.send("POST", "/api/billing/payment-method");
      await shop.app.call(`${new URL((body as { setupUrl: string }).setupUrl).pathname}/save`, { method: "POST" });
      const settings = { enabled: true, threshold: 10 * USD, amount: 20 * USD, monthlyCap: 45 * USD };
      expect((await person.send("PUT", "/api/billing/auto-top-up", settings)).status).toBe(200);
      const told = await listen(person, ["balance.low"]);
      await shop.app.service.billing.topUps.tick();
      await person.send("PUT", "/api/billing/alerts", { thresholds: [10 * USD] });
      await spend(person, 15 * USD);
      expect(await told()).toEqual([]);
      await shop.app.service.billing.topUps.tick();
      expect(await shop.balance(person)).toBe(25 * USD);
      await spend(person, 20 * USD);
      expect(await told()).toEqual(["balance.low"]);
      await shop.app.service.billing.topUps.tick();
      expect(await shop.balance(person)).toBe(5 * USD);
      await expectBooks();
    });

    test("every call before, during and after an invoiced time is charged and stated once", async () => {
      const person = await newPerson(shop.app);
      await grant(person, 5 * CENT);
      const key = await newKey(person, (await teamsOf(person))[0]?.id);
      expect(await callCent(key)).toBe(200);
      const json = { model: "cent", stream: true, messages: [{ role: "user", content: "Hello! ".repeat(200) }] };
      const running = await shop.app.call("/v1/chat/completions", { key, json });
      await switchBilling(person, "invoiced");
      for (let calls = 0; calls < 5; calls++) expect(await callCent(key)).toBe(200);
      await running.text();
      await shop.app.service.books.flush();
      expect([await shop.balance(person), await reasons(person)]).toEqual([-2 * CENT, [null]]);
      await switchBilling(person, "prepaid");
      expect([await callCent(key), await reasons(person)]).toEqual([403, ["balance"]]);
      await grant(person, 3 * CENT);
      expect([await callCent(key), await callCent(key)]).toEqual([200, 429]);
      await shop.app.service.books.flush();
      const month = new Date().toISOString().slice(0, 7);
      const { body } = await person.send("GET", `/api/billing/statements/${month}?format=json`);
      expect(body).toMatchObject({
        openingBalance: 0,
        totals: { grants: 8 * CENT, usage: -8 * CENT },
        usage: [{ model: "cent", calls: 8, cost: 8 * CENT }],
        closingBalance: 0,
      });
      await expectBooks();
    });

    test("a team that owes stays blocked although all teams had been blocked by hand", async () => {
      const person = await newPerson(shop.app);
      await person.send("POST", "/api/gw/teams", { name: "Second" });
      await spend(person, 5);
      const each = async (action: "block" | "unblock") => {
        for (const { id } of await teamsOf(person)) await byOperator("POST", `/api/admin/teams/${id}/${action}`);
      };
      await each("block");
      expect(await reasons(person)).toEqual(["admin", "admin"]);
      await each("unblock");
      expect(await reasons(person)).toEqual(["balance", "balance"]);
      await expectBooks();
      await each("block");
      await grant(person, 5);
      expect(await reasons(person)).toEqual(["admin", "admin"]);
      await each("unblock");
      expect(await reasons(person)).toEqual([null, null]);
      await each("block");
      await spend(person, 5);
      await switchBilling(person, "invoiced");
      await each("unblock");
      expect(await reasons(person)).toEqual([null, null]);
      await expectBooks();
    });

    test("what a member may spend in a team whose id the operator brought adds up", async () => {
      const person = await newPerson(shop.app);
      await grant(person, USD);
      const teamId = `team.of-${person.id}`;
      const team = { team_alias: "Brought", team_id: teamId, organization_id: person.ownId };
      expect((await byOperator("POST", "/team/new", team)).status).toBe(200);
      const member = { member: { role: "user", user_id: String(person.id) }, max_budget_in_team: 1 };
      expect((await byOperator("POST", "/team/member_add", { team_id: teamId, ...member })).status).toBe(200);
      await spend(person, 7, { teamId });
      const { status, body } = await byOperator("GET", "/api/admin/ledger/verify");
      expect([status, body as object]).toMatchObject([200, { ok: true }]);
      await expectBooks();
    });

    test("the id of an organization that had money is nobody else's, and its card is not charged for another", async () => {
      const id = `customer-${kind}`;
      const made = { organization_alias: "Customer", organization_id: id, billing: "prepaid" };
      const make = () => byOperator("POST", "/organization/new", made);
      const remove = () => byOperator("DELETE", "/organization/delete", { organization_ids: [id] });
      expect((await make()).status).toBe(200);
      // One that left nothing behind can be made again.
      expect([(await remove()).status, (await make()).status]).toEqual([200, 200]);
      const person = await newPerson(shop.app);
      const admin = { role: "org_admin", user_id: String(person.id) };
      await byOperator("POST", "/organization/member_add", { organization_id: id, member: admin });
      const at = { "x-organization-id": id };
      const { body } = await person.send("POST", "/api/billing/payment-method", undefined, at);
      await shop.app.call(`${new URL((body as { setupUrl: string }).setupUrl).pathname}/save`, { method: "POST" });
      const settings = { enabled: true, threshold: 10 * USD, amount: 20 * USD };
      expect((await person.send("PUT", "/api/billing/auto-top-up", settings, at)).status).toBe(200);
      expect((await remove()).status).toBe(200);
      expect((await make()).status).toBe(409);
      await shop.app.service.billing.topUps.tick();
      expect((await shop.app.storage.ledger.wallet(id)).balance).toBe(0n);
    });

    test("a purchase that is paid a second time waits for a person, and giving that back leaves the credits", async () => {
      const person = await newPerson(shop.app);
      const purchase = await shop.buy(10, person);
      const other = { payment_intent: `pi_other_${purchase.id}` };
      expect(await shop.tell({ type: PAID, object: session(purchase) })).toBe(200);
      expect(await shop.tell({ type: PAID, id: `evt_a_${purchase.id}`, object: session(purchase, other) })).toBe(200);
      const refunded = { type: "charge.refunded", object: charge(purchase, 1000, other) };
      expect(await shop.tell({ ...refunded, id: `evt_b_${purchase.id}` })).toBe(200);
      expect(await shop.balance(person)).toBe(10 * USD);
      const waiting = (await shop.events("parked")).filter(({ id }) => id.endsWith(purchase.id));
      expect(waiting.map(({ id }) => id.slice(0, 5)).toSorted()).toEqual(["evt_a", "evt_b"]);
      expect(await shop.tell({ type: "charge.refunded", object: charge(purchase, 400) })).toBe(200);
      expect(await shop.balance(person)).toBe(6 * USD);
      await expectBooks();
    });

    test("a payment that is named only after it was credited can be disputed", async () => {
      const person = await newPerson(shop.app);
      const purchase = await shop.buy(10, person);
      expect(await shop.tell({ type: PAID, object: session(purchase, { payment_intent: null }) })).toBe(200);
      const metadata = { purchaseId: purchase.id };
      const intent = { id: `pi_${purchase.id}`, metadata, amount_received: 1000, currency: "usd", livemode: false };
      expect(await shop.tell({ type: "payment_intent.succeeded", object: intent })).toBe(200);
      expect(await shop.balance(person)).toBe(10 * USD);
      const opened = { type: "charge.dispute.created", object: dispute(purchase, "needs_response") };
      expect(await shop.tell(opened)).toBe(200);
      expect(await shop.balance(person)).toBe(0);
      await expectBooks();
    });

    test("the key of a member who is taken out goes on at once without what they might spend in the team", async () => {
      const [owner, member] = [await newPerson(shop.app), await newPerson(shop.app)];
      await grant(owner, USD);
      const [team] = await teamsOf(owner);
      const limited = { member: { role: "user", user_id: String(member.id) }, max_budget_in_team: 0.01 };
      expect((await byOperator("POST", "/team/member_add", { team_id: team?.id, ...limited })).status).toBe(200);
      const key = await newKey(member, team?.id, owner.ownId);
      expect([await callCent(key), await callCent(key)]).toEqual([200, 429]);
      const path = `/api/gw/organizations/${owner.ownId}/members/${member.id}`;
      expect((await owner.send("DELETE", path)).status).toBe(200);
      expect(await callCent(key)).toBe(200);
      await shop.app.service.books.flush();
      expect(await shop.balance(owner)).toBe(USD - 2 * CENT);
      await expectBooks();
    });
  });
}
