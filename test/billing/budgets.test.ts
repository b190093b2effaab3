import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UsageRecord } from "../../src/contract/usage.ts";
import { endedCall } from "../../src/ledger/settle-store.ts";
import { newPerson, type Person } from "../accounts/people.ts";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { newCall } from "../ledger/new-call.ts";
import { startSmtp } from "../services/smtp.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`budgets on ${kind}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      const database = await migratedUrl(kind);
      app = await startApp("general_settings:\n  billing: {allow_private_webhooks: true}\n", database);
    });
    afterAll(() => app.close());

    /** Somebody with a team, a key, and an endpoint that is told everything. */
    async function newCustomer(events: readonly string[] = ["budget.threshold"]) {
      const person = await newPerson(app);
      const [team] = ((await person.send("GET", "/api/gw/teams")).body as { data: { id: string }[] }).data;
      const teamId = team?.id ?? "";
      const made = await person.send("POST", "/api/gw/api-keys", { name: "Mine", team_id: teamId });
      const { id: keyId } = made.body as { id: string };
      const address = { url: "http://127.0.0.1:9/hook", events };
      const { id: endpointId } = (await person.send("POST", "/api/webhook-endpoints", address)).body as { id: string };
      const owner = { organizationId: person.ownId, teamId, keyId, userId: person.id };
      const spend = (cost: number, given: Partial<UsageRecord> = {}) =>
        app.storage.settlement.settle(
          "here",
          [endedCall(newCall({ ...owner, at: Date.now(), cost: BigInt(cost), ...given }), [])],
          Date.now(),
        );
      let seen = 0;
      /** What was told since the last time, the earliest first. */
      const told = async (): Promise<readonly Told[]> => {
        const { rows } = await app.storage.billing.deliveries.list(endpointId, { page: 1, pageSize: 100 });
        const fresh = rows.toReversed().slice(seen);
        seen = rows.length;
        return fresh.map(({ payload }) => JSON.parse(payload) as Told);
      };
      const crossings = async () => (await told()).map(({ data }) => `${data.scope} ${data.kind} ${data.percent}`);
      return { person, teamId, keyId, owner, spend, told, crossings };
    }
    const set = async (person: Person, method: string, path: string, body: object) => {
      const answer = await person.send(method, path, body);
      expect([path, answer.status]).toEqual([path, 200]);
      return answer.body;
    };
    const spent = async (subject: string): Promise<readonly bigint[]> => {
      const rows = await app.storage.budgets.list(subject);
      return rows.map((row) => row.spent);
    };

    test("passing a soft budget is told once in its window, and refuses nothing", async () => {
      const { person, keyId, spend, told } = await newCustomer();
      await set(person, "PATCH", `/api/gw/api-keys/${keyId}`, { softBudget: 100, budgetWindow: "day" });
      await spend(99);
      expect(await told()).toEqual([]);
      await Promise.all(Array.from({ length: 6 }, () => spend(1)));
      const [only, ...others] = await told();
      expect(others).toEqual([]);
      expect(only).toMatchObject({
        type: "budget.threshold",
        data: { scope: "key", id: keyId, name: "Mine", kind: "soft", limit: "100", spent: "100", window: "day" },
      });
      expect(Date.parse(String(only?.data.resetsAt))).toBeGreaterThan(Date.now());
      expect(await spent(`key:${keyId}`)).toEqual([105n]);
    });

    test("a hard budget is told at its shares, several at once as the highest, and again after it was raised", async () => {
      const { person, keyId, spend, crossings } = await newCustomer();
      const limit = (budget: number) => set(person, "PATCH", `/api/gw/api-keys/${keyId}`, { budget });
      await limit(100);
      for (const cost of [49, 1, 29, 1, 1]) await spend(cost);
      expect(await crossings()).toEqual(["key hard 50", "key hard 80"]);
      await spend(40);
      expect(await crossings()).toEqual(["key hard 100"]);
      await spend(5);
      expect(await crossings()).toEqual([]);
      await limit(1_000);
      await spend(1);
      expect(await crossings()).toEqual([]);
      await spend(700);
      expect(await crossings()).toEqual(["key hard 80"]);
    });

    test("is told again where what was spent has been set back", async () => {
      const { person, keyId, spend, crossings } = await newCustomer();
      await set(person, "PATCH", `/api/gw/api-keys/${keyId}`, { budget: 100, softBudget: 70 });
      await spend(90);
      expect((await crossings()).sort()).toEqual(["key hard 80", "key soft 100"]);
      await set(person, "POST", `/key/${keyId}/reset_spend`, { reset_to: 0 });
      await spend(49);
      expect(await crossings()).toEqual([]);
      await spend(31);
      expect((await crossings()).sort()).toEqual(["key hard 80", "key soft 100"]);
      expect(await spent(`key:${keyId}`)).toEqual([170n]);
    });

    test("organizations choose the shares, and teams, members and the organization have budgets as keys do", async () => {
      const { person, teamId, spend, crossings } = await newCustomer();
      const alerts = { thresholds: [], budgetPercents: [90, 25, 90] };
      expect(await set(person, "PUT", "/api/billing/alerts", alerts)).toMatchObject({ budgetPercents: [25, 90] });
      // Who leaves them out changes nothing about them.
      expect(await set(person, "PUT", "/api/billing/alerts", { thresholds: [] })).toMatchObject({
        budgetPercents: [25, 90],
      });
      await set(person, "PATCH", `/api/gw/teams/${teamId}`, { budget: 1_000, budgetWindow: "month" });
      await set(person, "PATCH", `/api/gw/teams/${teamId}/members/${person.id}`, { budget: 100, budgetWindow: "week" });
      await set(person, "PUT", "/api/gw/organizations", { id: person.ownId, softBudget: 30, budget: 10_000 });
      await spend(30);
      expect((await crossings()).sort()).toEqual(["member hard 25", "organization soft 100"]);
      await spend(300);
      expect((await crossings()).sort()).toEqual(["member hard 90", "team hard 25"]);
    });

    test("what was spent before a budget was set counts in its window, and what lies outside does not", async () => {
      const { person, teamId, keyId, spend, crossings } = await newCustomer();
      await spend(60);
      await spend(1_000, { at: Date.now() - 40 * DAY_MS });
      await set(person, "PATCH", `/api/gw/api-keys/${keyId}`, { budget: 100, budgetWindow: "month" });
      await set(person, "PATCH", `/api/gw/teams/${teamId}`, { budget: 10_000 });
      await spend(1);
      expect(await crossings()).toEqual(["key hard 50"]);
      expect(await spent(`key:${keyId}`)).toEqual([61n]);
      expect(await spent(`team:${teamId}`)).toEqual([1_061n]);
    });

    test("a window that a budget does not go by any more tells nothing, whatever was spent in it", async () => {
      const { person, keyId, spend, crossings } = await newCustomer();
      const path = `/api/gw/api-keys/${keyId}`;
      await set(person, "PATCH", path, { budget: 10_000, budgetWindow: "total" });
      await spend(1_000, { at: Date.now() - 40 * DAY_MS });
      await set(person, "PATCH", path, { budget: 100, budgetWindow: "day" });
      await spend(1);
      expect(await crossings()).toEqual([]);
      // Days of two zones run at the same time: what is passed in both is told of the one that holds.
      await set(person, "PUT", "/api/gw/organizations", { id: person.ownId, timezone: "Asia/Kathmandu" });
      await spend(60);
      expect(await crossings()).toEqual(["key hard 50"]);
    });

    test("a key tells what it has spent, ever and in its window, and when that ends, on both faces", async () => {
      const { person, keyId, spend } = await newCustomer();
      await spend(1_000, { at: Date.now() - 40 * DAY_MS });
      await spend(60);
      const path = `/api/gw/api-keys/${keyId}`;
      expect((await person.send("GET", path)).body).toMatchObject({
        spend: 1_060,
        spendUsd: "0.00000106",
        budget: null,
      });
      await set(person, "PATCH", path, { budget: 100, budgetWindow: "month" });
      const budget = { limit: 100, window: "month", spent: 60, resetAt: expect.stringMatching(/-01T00:00:00.000Z$/) };
      expect((await person.send("GET", path)).body).toMatchObject({ spend: 1_060, budget });
      expect((await person.send("GET", "/api/api-keys")).body).toMatchObject({ data: [{ spend: 1_060, budget }] });
      const answer = await app.call(`/key/info?key=${keyId}`, { key: MASTER_KEY });
      const { info } = (await answer.json()) as { info: object };
      expect(info).toMatchObject({ spend: 0.00000106, budget_spend: 0.00000006, budget_reset_at: budget.resetAt });
      await set(person, "PATCH", path, { budget: 100, budgetWindow: "total" });
      expect((await person.send("GET", path)).body).toMatchObject({ budget: { spent: 1_060, resetAt: null } });
    });

    test("a team tells what was spent of its budget, and when that ends", async () => {
      const { person, teamId, spend } = await newCustomer();
      await spend(1_000, { at: Date.now() - 40 * DAY_MS });
      await spend(60);
      const path = `/api/gw/teams/${teamId}`;
      expect((await person.send("GET", path)).body).toMatchObject({ budget: null });
      const budget = { limit: 100, window: "month", spent: 60, resetAt: expect.stringMatching(/-01T00:00:00.000Z$/) };
      expect(await set(person, "PATCH", path, { budget: 100, budgetWindow: "month" })).toMatchObject({ budget });
      expect((await person.send("GET", path)).body).toMatchObject({ budget });
      expect((await person.send("GET", "/api/gw/teams")).body).toMatchObject({ data: [{ id: teamId, budget }] });
      const listed = await app.call(`/api/admin/teams?organization_id=${person.ownId}`, { key: MASTER_KEY });
      expect(await listed.json()).toMatchObject({ data: [{ id: teamId, budget }] });
      const total = { limit: 100, window: "total", spent: 1_060, resetAt: null };
      expect(await set(person, "PATCH", path, { budgetWindow: "total" })).toMatchObject({ budget: total });
    });

    test("a budget that is taken away and set again has missed nothing", async () => {
      const { person, keyId, spend } = await newCustomer();
      const path = `/api/gw/api-keys/${keyId}`;
      await set(person, "PATCH", path, { budget: 1_000 });
      await spend(5);
      await set(person, "PATCH", path, { budget: null });
      await spend(7);
      await set(person, "PATCH", path, { budget: 1_000 });
      await spend(1);
      expect(await spent(`key:${keyId}`)).toEqual([13n]);
    });

    test("the lease of a budget is what the whole window has left", async () => {
      const { person, keyId, owner, spend } = await newCustomer();
      await spend(60);
      await set(person, "PATCH", `/api/gw/api-keys/${keyId}`, { budget: 100 });
      const pot = { id: `budget:key:${keyId}:0`, organizationId: owner.organizationId, limit: 100n };
      const want = { pot: { ...pot, endMs: Number.POSITIVE_INFINITY }, wish: 1_000n, least: 1n };
      const times = { now: Date.now(), expiresAt: Date.now() + 60_000 };
      const [standing] = await app.storage.leases.extend("here", [want], times);
      expect(standing).toMatchObject({ amount: 40n, free: 0n });
      await app.storage.leases.drop("here");
    });

    test("what somebody may spend in all is counted over organizations and told to no organization", async () => {
      const one = await newCustomer();
      const other = await newCustomer();
      await app.storage.accounts.users.update(one.person.id, { budget: 100n, budgetWindow: "total" });
      await one.spend(40);
      await other.spend(45, { userId: one.person.id });
      expect(await spent(`user:${one.person.id}`)).toEqual([85n]);
      expect([await one.told(), await other.told()]).toEqual([[], []]);
    });

    test("an organization that is removed leaves its books behind, and they still add up", async () => {
      const { person, owner, keyId, spend } = await newCustomer();
      await set(person, "PATCH", `/api/gw/api-keys/${keyId}`, { budget: 1_000 });
      await spend(25);
      const before = await app.storage.ledger.list(owner.organizationId, { page: 1, pageSize: 9 });
      const removed = await app.call("/organization/delete", {
        method: "DELETE",
        key: MASTER_KEY,
        json: { organization_ids: [owner.organizationId] },
      });
      expect(removed.status).toBe(200);
      expect(await app.storage.accounts.organizations.find(owner.organizationId)).toBeNull();
      expect(await app.storage.ledger.list(owner.organizationId, { page: 1, pageSize: 9 })).toEqual(before);
      expect(before.rows.map(({ kind }) => kind)).toEqual(["usage", "grant"]);
      expect(await app.storage.usage.spendOf({ organizationId: owner.organizationId })).toMatchObject({ cost: 25n });
      expect(await spent(`key:${keyId}`)).toEqual([25n]);
      // A call that was under way is settled after all.
      await spend(5);
      expect((await app.storage.ledger.wallet(owner.organizationId)).used).toBe(30n);
      const findings = await app.storage.audit.verify(Date.now());
      expect(findings.filter(({ differences }) => differences.length > 0)).toEqual([]);
    });

    test("keys that are made, rotated, disabled and removed are told, and people who come and go", async () => {
      const { person, teamId, keyId, told } = await newCustomer([]);
      await told();
      await person.send("POST", `/api/gw/api-keys/${keyId}/rotate`, {});
      await person.send("POST", `/api/gw/api-keys/${keyId}/disable`);
      await person.send("DELETE", `/api/gw/api-keys/${keyId}`);
      const keys = await told();
      expect(keys.map(({ type, data }) => [type, data.keyId, data.name, data.changedBy])).toEqual(
        ["key.rotated", "key.disabled", "key.removed"].map((type) => [type, keyId, "Mine", person.id]),
      );
      expect(JSON.stringify(keys)).not.toMatch(/sk-|hash|handle/);
      const guest = await newPerson(app);
      const invite = { teamId, email: guest.email, role: "member" };
      const { inviteUrl } = (await person.send("POST", "/api/gw/teams/invite-member", invite)).body as {
        inviteUrl: string;
      };
      const token = new URL(inviteUrl, "http://x").searchParams.get("token") ?? inviteUrl.split(/[#/=]/).at(-1);
      expect((await guest.send("POST", "/api/invitations/accept", { token })).status).toBe(200);
      await person.send("POST", "/api/gw/teams/remove-member", { teamId, memberId: guest.id });
      expect((await told()).map(({ type, data }) => [type, data.teamId])).toEqual(
        ["member.invited", "member.joined", "member.removed"].map((type) => [type, teamId]),
      );
    });

    test("a key that ends within a week is told once, and once more when its end was put off", async () => {
      const { person, keyId, told } = await newCustomer(["key.expiring"]);
      const endsIn = (ms: number) =>
        set(person, "PATCH", `/api/gw/api-keys/${keyId}`, { expiresAt: new Date(Date.now() + ms).toISOString() });
      const { notices } = app.storage.billing;
      const look = () => notices.tellOfExpiring(Date.now() + 7 * DAY_MS, Date.now());
      await endsIn(8 * DAY_MS);
      await look();
      expect(await told()).toEqual([]);
      await endsIn(6 * DAY_MS);
      await Promise.all([look(), look()]);
      expect((await told()).map(({ data }) => data.keyId)).toEqual([keyId]);
      await endsIn(5 * DAY_MS);
      await look();
      expect(await told()).toHaveLength(1);
    });
  });
}

test("a letter about a share of a budget says that calls are refused where nothing of it is left", async () => {
  const smtp = await startSmtp();
  const app = await startApp(`general_settings:\n  smtp_url: ${smtp.url}\n`);
  try {
    const person = await newPerson(app);
    await person.send("PUT", "/api/gw/organizations", { id: person.ownId, billingEmail: "money@example.com" });
    await app.storage.accounts.organizations.update(person.ownId, { billingEmailVerifiedAt: Date.now() });
    await person.send("PUT", "/api/billing/alerts", { budgetPercents: [80] });
    const { accounts, settlement } = app.storage;
    const spend = async (cost: bigint) => {
      const call = endedCall(newCall({ organizationId: person.ownId, userId: null, cost, at: Date.now() }), []);
      await settlement.settle("here", [call], Date.now());
      await app.service.outbox.deliverDue();
      return smtp.received.filter(({ to }) => to.includes("money@example.com"));
    };
    await accounts.organizations.update(person.ownId, { budget: 10n, budgetWindow: "day" });
    const [most] = await spend(8n);
    expect(most?.raw).toContain("80 % of a budget is spent");
    expect(most?.text).toContain("Nothing is refused for that.");
    // Below the share again, and past all of it with one call.
    await accounts.organizations.update(person.ownId, { budget: 20n, budgetWindow: "day" });
    await spend(1n);
    const [, all] = await spend(11n);
    expect(all?.raw).toContain("A budget is spent");
    expect(all?.text).toContain("Its calls are refused until 20");
  } finally {
    await app.close();
    await smtp.stop();
  }
});

test("a budget that is spent is mailed to who looks after the money, somebody's own to them, and none by the hour", async () => {
  const smtp = await startSmtp();
  const app = await startApp(`general_settings:\n  smtp_url: ${smtp.url}\n`);
  try {
    const person = await newPerson(app);
    await person.send("PUT", "/api/gw/organizations", { id: person.ownId, billingEmail: "money@example.com" });
    await app.storage.accounts.organizations.update(person.ownId, { billingEmailVerifiedAt: Date.now() });
    const { accounts, settlement } = app.storage;
    await accounts.organizations.update(person.ownId, { budget: 10n, budgetWindow: "day" });
    await accounts.users.update(person.id, { budget: 10n, budgetWindow: "total" });
    const [team] = await accounts.teams.list(person.ownId);
    await accounts.teams.update(team?.team.id ?? "", { budget: 10n, budgetWindow: "hour" });
    const owner = { organizationId: person.ownId, teamId: team?.team.id ?? "", userId: person.id, cost: 10n };
    await settlement.settle("here", [endedCall(newCall({ ...owner, at: Date.now() }), [])], Date.now());
    await app.service.outbox.deliverDue();
    const mail = await smtp.mailTo("money@example.com");
    expect(mail.raw).toContain("A budget is spent");
    expect(mail.text).toContain("Its calls are refused until 20");
    const own = smtp.received.filter(({ to }) => to.includes(person.email)).map(({ raw }) => raw);
    expect(own.filter((raw) => raw.includes("A budget is spent"))).toHaveLength(1);
    expect(smtp.received.filter(({ to }) => to.includes("money@example.com"))).toHaveLength(1);
  } finally {
    await app.close();
    await smtp.stop();
  }
});
