import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { Shop, USD } from "./shop.ts";

interface Fresh {
  readonly id: string;
  readonly code: string;
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`vouchers on ${kind}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await Shop.open(kind);
    });
    afterAll(() => shop.close());

    const make = async (body: object): Promise<readonly Fresh[]> => {
      const response = await shop.app.call("/api/admin/vouchers", { key: MASTER_KEY, json: body });
      expect(response.status).toBe(201);
      return ((await response.json()) as { data: Fresh[] }).data;
    };
    const list = async () => {
      const response = await shop.app.call("/api/admin/vouchers", { key: MASTER_KEY });
      return (await response.json()) as { data: { id: string; status: string; organizationId: string | null }[] };
    };

    test("a code is worth its amount once, however it is typed, and is kept as a hash alone", async () => {
      const person = await newPerson(shop.app);
      const [voucher, other] = await make({ amountUsd: "12.50", count: 2 });
      if (!voucher || !other) throw new Error("two were asked for");
      expect(voucher.code).toMatch(/^TP(-[0-9A-HJKMNP-TV-Z]{5}){4}$/);
      const typed = ` ${voucher.code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
      const redeem = (code: string) => person.send("POST", "/api/billing/vouchers/redeem", { code });
      expect((await redeem(typed)).body as object).toEqual({
        organizationId: person.ownId,
        amount: 12.5 * USD,
        amountUsd: "12.5",
      });
      expect((await redeem(voucher.code)).status).toBe(404);
      expect(await shop.balance(person)).toBe(12.5 * USD);
      const shown = await list();
      expect(shown.data.find(({ id }) => id === voucher.id)).toMatchObject({
        status: "redeemed",
        organizationId: person.ownId,
      });
      expect(shown.data.find(({ id }) => id === other.id)).toMatchObject({ status: "active", organizationId: null });
      expect(JSON.stringify(shown)).not.toContain(other.code);
      expect(JSON.stringify(shown)).not.toContain("hash");
    });

    test("of twenty who race for a code one gets it", async () => {
      const people = await Promise.all(Array.from({ length: 20 }, () => newPerson(shop.app)));
      const [voucher] = await make({ amount: 3 * USD });
      const answers = await Promise.all(
        people.map((person) => person.send("POST", "/api/billing/vouchers/redeem", { code: voucher?.code })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const balances = await Promise.all(people.map((person) => shop.balance(person)));
      expect(balances.reduce((sum, balance) => sum + balance, 0)).toBe(3 * USD);
    });

    test("one that expired or was revoked is worth nothing, and looks like one that never was", async () => {
      const person = await newPerson(shop.app);
      const [revoked] = await make({ amountUsd: 5 });
      const path = `/api/admin/vouchers/${revoked?.id}`;
      expect((await shop.app.call(path, { method: "DELETE", key: MASTER_KEY })).status).toBe(200);
      expect((await shop.app.call(path, { method: "DELETE", key: MASTER_KEY })).status).toBe(409);
      const [expired] = await make({ amountUsd: 5, expiresAt: new Date(Date.now() + 60_000).toISOString() });
      const hour = 3_600_000;
      const { vouchers } = shop.app.storage.billing;
      const use = { organizationId: person.ownId, redeemedBy: person.id, redeemedAt: Date.now() + hour };
      const { rows } = await vouchers.list({ page: 1, pageSize: 100 }, { by: "createdAt", direction: "desc" });
      expect(await vouchers.redeem(rows.find(({ id }) => id === expired?.id)?.hash ?? "", use)).toBeNull();
      const redeem = async (code: string) => person.send("POST", "/api/billing/vouchers/redeem", { code });
      const never = await redeem("TP-00000-00000-00000-00000");
      expect(never.status).toBe(404);
      expect(await redeem(revoked?.code ?? "")).toEqual(never);
      expect((await shop.app.call("/api/admin/vouchers", { key: MASTER_KEY, json: {} })).status).toBe(400);
      // The past, and times that are written well and yet are none that a computer counts.
      for (const expiresAt of ["2020-01-01T00:00:00Z", "2030-12-31T23:59:60Z", "2030-01-01T00:00:00Z[UTC]"]) {
        const json = { amountUsd: 5, expiresAt };
        const { status } = await shop.app.call("/api/admin/vouchers", { key: MASTER_KEY, json });
        expect([expiresAt, status]).toEqual([expiresAt, 400]);
      }
    });

    test("whoever guesses is slowed down, and a good code does not help then", async () => {
      const person = await newPerson(shop.app);
      const [voucher] = await make({ amountUsd: 5 });
      const remoteAddress = "203.0.113.77";
      const redeem = async (code: string) =>
        (
          await shop.app.call("/api/billing/vouchers/redeem", {
            key: person.token,
            json: { code },
            remoteAddress,
          })
        ).status;
      for (let guess = 0; guess < 5; guess++) expect(await redeem(`guess ${guess}`)).toBe(404);
      expect(await redeem(voucher?.code ?? "")).toBe(429);
      expect(await shop.balance(person)).toBe(0);
    });

    test("guesses that are sent at once are no more than those that are sent one by one", async () => {
      const [guesser, owner] = [await newPerson(shop.app), await newPerson(shop.app)];
      const redeem = async (code: string, { token } = guesser) =>
        (
          await shop.app.call("/api/billing/vouchers/redeem", {
            key: token,
            json: { code },
            remoteAddress: "203.0.113.88",
          })
        ).status;
      const guesses = Array.from({ length: 40 }, (_, index) => redeem(`TP-AAAAA-AAAAA-AAAAA-AAA${10 + index}`));
      expect((await Promise.all(guesses)).filter((status) => status === 404)).toHaveLength(5);
      // Codes that are good count for nothing.
      for (const { code } of await make({ amountUsd: 1, count: 8 })) expect(await redeem(code, owner)).toBe(200);
    });
  });
}
