import { afterAll, describe, expect, test } from "bun:test";
import { DATABASES } from "../storage/databases.ts";
import { Mailing, PASSWORD } from "./mailing.ts";

const STRANGER = "stranger@example.com";
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`a billing address on ${kind}`, async () => {
    if (missing) return;
    const mailing = await Mailing.start(kind);
    afterAll(() => mailing.close());
    const { app, smtp } = mailing;

    const newOwner = async (email: string) => {
      const { id, ...session } = await mailing.signUp(email);
      const [own] = await app.storage.accounts.organizations.listOf(id);
      const organizationId = own?.organization.id ?? "";
      const change = async (changes: object) => {
        const { status, body } = await mailing.send(
          "/api/gw/organizations",
          { id: organizationId, ...changes },
          session.token,
          "PUT",
        );
        await mailing.deliver();
        return { status, body: body as { billingEmail: string | null; billingEmailVerified: boolean } };
      };
      const alert = async () => {
        const payload = { organizationId, type: "balance.low", data: { balance: "1", threshold: "2" } };
        await app.storage.accounts.outbox.insert({ topic: "notice.balance", payload, createdAt: Date.now() });
        await mailing.deliver();
      };
      const logIn = async () => {
        const { body } = await mailing.send("/api/auth/token", { email, password: PASSWORD });
        session.token = (body as { token: string }).token;
      };
      return { id, change, alert, logIn };
    };
    const sentTo = (email: string) => smtp.received.filter(({ to }) => to.includes(email));
    const lastToken = (email: string): string =>
      /billing-address\?token=([\w.%-]+)/.exec(sentTo(email).at(-1)?.text ?? "")?.[1] ?? "";
    const confirm = async (token: string): Promise<number> => {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const body = new URLSearchParams({ token }).toString();
      return (await app.call("/billing-address", { method: "POST", headers, body })).status;
    };

    test("gets alerts once its reader has confirmed it, and until then the owner does", async () => {
      const owner = await newOwner("ada@example.com");
      const set = await owner.change({ billingEmail: STRANGER, name: "Cheap pills" });
      expect(set).toMatchObject({ status: 200, body: { billingEmail: STRANGER, billingEmailVerified: false } });
      expect(sentTo(STRANGER).map(({ raw }) => raw.includes("Cheap pills"))).toEqual([false]);
      await owner.alert();
      expect([sentTo(STRANGER).length, sentTo("ada@example.com").at(-1)?.text]).toEqual([
        1,
        expect.stringContaining("the balance is"),
      ]);

      const page = await app.call(`/billing-address?token=${encodeURIComponent(lastToken(STRANGER))}`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Confirm the address")]);
      expect([await confirm(lastToken(STRANGER)), await confirm(lastToken(STRANGER))]).toEqual([200, 200]);
      expect((await owner.change({ timezone: "UTC" })).body.billingEmailVerified).toBe(true);
      await owner.alert();
      expect(sentTo(STRANGER).at(-1)?.text).toContain("the balance is");
    });

    test("is confirmed by the link for this address alone, for a week", async () => {
      const owner = await newOwner("bob@example.com");
      await owner.change({ billingEmail: "first@example.com" });
      const first = lastToken("first@example.com");
      const { body } = await owner.change({ billingEmail: "second@example.com" });
      expect(body.billingEmailVerified).toBe(false);
      for (const token of [first, "", "v1.forged"]) expect(await confirm(token)).toBe(404);
      const second = lastToken("second@example.com");
      mailing.pass(WEEK_MS + 1);
      expect(await confirm(second)).toBe(404);
      // To save the address again sends another link.
      await owner.logIn();
      await owner.change({ billingEmail: "second@example.com" });
      expect(await confirm(lastToken("second@example.com"))).toBe(200);
    });

    test("that is the verified address of the person who sets it needs no link", async () => {
      const owner = await newOwner("cyd@example.com");
      expect((await owner.change({ billingEmail: "cyd@example.com" })).body.billingEmailVerified).toBe(false);
      await owner.change({ billingEmail: null });
      await app.storage.accounts.users.update(owner.id, { emailVerifiedAt: Date.now() });
      expect((await owner.change({ billingEmail: "cyd@example.com" })).body.billingEmailVerified).toBe(true);
    });

    test("is asked a few times in an hour and no more", async () => {
      const owner = await newOwner("dan@example.com");
      const statuses: number[] = [];
      for (let sent = 0; sent < 6; sent++)
        statuses.push((await owner.change({ billingEmail: "often@example.com" })).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      expect(sentTo("often@example.com")).toHaveLength(5);
    });
  });
}
