import { afterAll, describe, expect, test } from "bun:test";
import { walletOf } from "../../src/ledger/entry.ts";
import { newPerson, startAppOn } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";

interface Line {
  kind: string;
  amount: number;
  balance: number;
  reason: string;
  actor: string;
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`credit on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind, "general_settings:\n  signup_credits: 0\n");
    afterAll(() => app.close());
    const grant = async (organizationId: string, json: object, headers: Record<string, string> = {}) => {
      const path = `/api/admin/organizations/${organizationId}/credits`;
      const answer = await app.call(path, { key: MASTER_KEY, json, headers });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const linesOf = async (person: Awaited<ReturnType<typeof newPerson>>) =>
      ((await person.send("GET", "/api/billing/ledger")).body as { data: Line[] }).data;

    test("somebody new has no credit, and is told so in full", async () => {
      const ada = await newPerson(app);
      expect(await ada.send("GET", "/api/balance")).toEqual({
        status: 200,
        body: {
          organizationId: ada.ownId,
          balance: 0,
          balanceUsd: "0",
          held: 0,
          available: 0,
          unit: "nano-USD",
        } as never,
      });
      expect((await ada.send("GET", "/api/quota")).body).toEqual({
        organizationId: ada.ownId,
        balance: 0,
        balanceUsd: "0",
        held: 0,
        available: 0,
        availableUsd: "0",
        purchased: 0,
        granted: 0,
        used: 0,
        status: "active",
        blockedTeams: 0,
        autoTopUp: { enabled: false, threshold: 0, amount: 0, monthlyCap: null },
        alerts: [],
        currency: "USD",
        unit: "nano-USD",
        updatedAt: null,
      } as never);
      expect(await linesOf(ada)).toEqual([]);
    });

    test("a call without credit is told that there never was any, and the books know when there was", async () => {
      const ada = await newPerson(app);
      const team = (await ada.send("POST", "/api/gw/teams", { name: "red" })).body as unknown as { id: string };
      const made = (await ada.send("POST", "/api/gw/api-keys", { name: "mine", teamId: team.id })).body;
      const { key } = made as unknown as { key: string };
      const refusal = async () => {
        const json = { model: "echo", messages: [{ role: "user", content: "Hello!" }] };
        const answer = await app.call("/v1/chat/completions", { key, json });
        const { error } = (await answer.json()) as { error?: { message: string; code: string } };
        return [answer.status, error?.code, error?.message];
      };
      expect(await refusal()).toEqual([429, "insufficient_quota", "There is no credit yet; buy credits to begin."]);
      const wallet = { id: walletOf(ada.ownId), limit: null, organizationId: ada.ownId };
      const ask = () =>
        app.storage.leases.extend("another", [{ pot: wallet, wish: 5n, least: 5n }], { now: 0, expiresAt: 0 });
      expect(await ask()).toMatchObject([{ isOpen: false, free: 0n }]);
      await grant(ada.ownId, { amountUsd: "0.000000003", reason: "A trifle" });
      expect(await ask()).toMatchObject([{ isOpen: true, amount: 3n, free: 0n }]);
    });

    test("a grant is in the balance, the quota, the ledger, the organization's record and the audit log", async () => {
      const ada = await newPerson(app);
      const given = await grant(ada.ownId, { amountUsd: "12.345678901", reason: "Welcome" });
      expect(given).toEqual({
        status: 200,
        body: {
          id: expect.any(String),
          organizationId: ada.ownId,
          amount: 12_345_678_901,
          amountUsd: "12.345678901",
          balance: 12_345_678_901,
          balanceUsd: "12.345678901",
          replayed: false,
        },
      });
      await grant(ada.ownId, { amount: 99, reason: "More" });
      expect((await ada.send("GET", "/api/balance")).body).toMatchObject({
        balance: 12_345_679_000,
        available: 12_345_679_000,
      });
      expect((await ada.send("GET", "/api/quota")).body).toMatchObject({
        granted: 12_345_679_000,
        purchased: 0,
        used: 0,
      });
      expect(
        (await linesOf(ada)).map(({ kind: what, amount, balance, reason, actor }) => [
          what,
          amount,
          balance,
          reason,
          actor,
        ]),
      ).toEqual([
        ["grant", 99, 12_345_679_000, "More", "master_key"],
        ["grant", 12_345_678_901, 12_345_678_901, "Welcome", "master_key"],
      ]);
      const quota = { balance: 12_345_679_000, held: 0, available: 12_345_679_000 };
      expect((await ada.send("GET", `/api/gw/organizations/${ada.ownId}`)).body).toMatchObject({ quota });
      const { rows } = await app.storage.accounts.audit.list(
        { action: "credits.grant", organizationId: ada.ownId },
        { page: 1, pageSize: 9 },
      );
      expect(rows.map(({ actor, details }) => [actor, details.amount, details.reason])).toEqual([
        ["master_key", "99", "More"],
        ["master_key", "12345678901", "Welcome"],
      ]);
    });

    test("a repeated grant under one key is one grant; another amount under it is refused", async () => {
      const [ada, bob] = [await newPerson(app), await newPerson(app)];
      const header = { "idempotency-key": "once" };
      const first = await grant(ada.ownId, { amount: 5, reason: "Once" }, header);
      const second = await grant(ada.ownId, { amount: 5, reason: "Once" }, header);
      const third = await grant(ada.ownId, { amount: 5, reason: "Once", idempotency_key: "once" });
      expect([second.body, third.body]).toEqual([
        { ...first.body, replayed: true },
        { ...first.body, replayed: true },
      ]);
      expect(await grant(ada.ownId, { amount: 6, reason: "Once" }, header)).toMatchObject({ status: 409 });
      expect(await grant(bob.ownId, { amount: 7, reason: "Theirs" }, header)).toMatchObject({ status: 200 });
      expect(await linesOf(ada)).toHaveLength(1);
    });

    test.each([
      [{ reason: "nothing" }, 400],
      [{ amount: 1, amountUsd: 1, reason: "both" }, 400],
      [{ amount: 0, reason: "zero" }, 400],
      [{ amount: -5, reason: "less" }, 400],
      [{ amount: 1.5, reason: "half" }, 400],
      [{ amountUsd: "0.0000000001", reason: "too fine" }, 400],
      [{ amountUsd: "1e3", reason: "an exponent" }, 400],
      [{ amountUsd: 0, reason: "zero" }, 400],
      [{ amount: 1, reason: " " }, 400],
      [{ amount: 1 }, 400],
      [{ amount: Number.MAX_SAFE_INTEGER, reason: "all there is" }, 200],
      [{ amount: 1, reason: "one more than fits" }, 400],
    ])("%j is answered with %d", async (body, status) => {
      crowded ??= await newPerson(app);
      expect(await grant(crowded.ownId, body)).toMatchObject({ status });
    });
    let crowded: Awaited<ReturnType<typeof newPerson>> | undefined;

    test("an organization that is not there gets nothing, and nobody but an operator gives", async () => {
      expect(await grant(crypto.randomUUID(), { amount: 1, reason: "x" })).toMatchObject({ status: 404 });
      const ada = await newPerson(app);
      const path = `/api/admin/organizations/${ada.ownId}/credits`;
      expect(await ada.send("POST", path, { amount: 1, reason: "x" })).toMatchObject({ status: 403 });
      expect((await ada.send("GET", "/api/balance")).body).toMatchObject({ balance: 0 });
    });

    test("only members see an organization's credit; a team that is made while it is negative is blocked too", async () => {
      const [ada, eve] = [await newPerson(app), await newPerson(app)];
      await grant(ada.ownId, { amount: 5, reason: "x" });
      const theirs = { "x-organization-id": ada.ownId };
      for (const path of ["/api/balance", "/api/quota", "/api/billing/ledger"]) {
        expect(await eve.send("GET", path, undefined, theirs)).toMatchObject({ status: 404 });
        expect(await ada.send("GET", path, undefined, theirs)).toMatchObject({ status: 200 });
      }
      const debt = { organizationId: ada.ownId, amount: -6n, against: "adjustments", at: Date.now(), actor: "system" };
      await app.storage.accounts.credits.post({
        ...debt,
        key: ada.ownId,
        kind: "adjustment",
        reason: "x",
        details: {},
      });
      const made = await ada.send("POST", "/api/gw/teams", { name: "Late" });
      expect(made.body).toMatchObject({ blocked: true, blockedReason: "balance" });
      expect((await ada.send("GET", "/api/quota")).body).toMatchObject({
        status: "exceeded",
        blockedTeams: 2,
        balance: -1,
      });
      await grant(ada.ownId, { amount: 1, reason: "x" });
      expect((await ada.send("GET", "/api/gw/teams")).body).toMatchObject({
        data: [
          { blocked: false, blockedReason: null },
          { blocked: false, blockedReason: null },
        ],
      });
    });

    test("whoever is invoiced needs no credit from that moment on, and whoever no longer is needs it again", async () => {
      const ada = await newPerson(app);
      const debt = { organizationId: ada.ownId, amount: -6n, against: "adjustments", at: Date.now(), actor: "system" };
      const kept = { key: ada.ownId, kind: "adjustment" as const, reason: "x", details: {} };
      await app.storage.accounts.credits.post({ ...debt, ...kept });
      for (const [billing, blocked, status] of [
        ["invoiced", false, "active"],
        ["prepaid", true, "exceeded"],
      ] as const) {
        const path = `/api/admin/organizations/${ada.ownId}`;
        expect((await app.call(path, { method: "PATCH", key: MASTER_KEY, json: { billing } })).status).toBe(200);
        expect((await ada.send("GET", "/api/gw/teams")).body).toMatchObject({ data: [{ blocked }] });
        expect((await ada.send("GET", "/api/quota")).body).toMatchObject({ status, balance: -6 });
        const findings = await app.storage.audit.verify(Date.now());
        expect(findings.find(({ name }) => name === "blocked")?.differences).toEqual([]);
      }
    });

    test("the demo organization begins with ten dollars", async () => {
      const [demo] = await app.storage.accounts.organizations.listOf(1);
      expect(demo?.organization.name).toBe("Demo");
      expect(await app.storage.accounts.credits.quotaOf(demo?.organization.id ?? "")).toMatchObject({
        balance: 10_000_000_000n,
      });
    });
  });
}

test("who signs up begins with the credit that is set, and further organizations with none", async () => {
  const app = await startApp('general_settings:\n  signup_credits: "2.5"\n');
  const ada = await newPerson(app);
  expect((await ada.send("GET", "/api/balance")).body).toMatchObject({ balance: 2_500_000_000, balanceUsd: "2.5" });
  const { body } = await ada.send("POST", "/api/gw/organizations", { name: "Second" });
  expect(body).toMatchObject({ quota: { balance: 0, held: 0, available: 0 } });
  await app.close();
});
