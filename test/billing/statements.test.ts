import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { drawStatement, NOT_ITEMISED } from "../../src/billing/statement.ts";
import { endedCall } from "../../src/ledger/settle-store.ts";
import { newPerson, startAppOn } from "../accounts/people.ts";
import { newCall } from "../ledger/new-call.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { Shop, USD } from "./shop.ts";

const HEADING = {
  organizationId: "o",
  organizationName: "O",
  month: "2026-11",
  timezone: "UTC",
  startMs: 0,
  endMs: 1,
  isOver: true,
};
const KINDS = ["topup", "grant", "voucher", "refund", "dispute", "adjustment", "expiry"];

test("opening and entries add up to closing to the nano-USD, whatever there is", () => {
  const amount = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
  const line = fc.record({ kind: fc.constantFrom(...KINDS), amount });
  const cost = fc.bigInt({ min: 0n, max: 10n ** 12n });
  fc.assert(
    fc.property(amount, fc.array(line), fc.array(cost), cost, (opening, given, costs, deleted) => {
      const lines = given.map((one, at) => ({ ...one, id: String(at), at, reason: "" }));
      const usage = costs.map((one, at) => ({ model: `m${at}`, teamId: null, teamName: null, calls: 1, cost: one }));
      const used = costs.reduce((sum, one) => sum + one, 0n) + deleted;
      const change = lines.reduce((sum, one) => sum + one.amount, 0n) - used;
      const statement = drawStatement(HEADING, { opening, change, lines, used, usage });
      const itemised = statement.usage.reduce((sum, row) => sum + row.cost, 0n);
      const listed = statement.lines.reduce((sum, row) => sum + row.amount, 0n);
      expect(statement.opening + listed - itemised).toBe(statement.closing);
      expect(statement.usage.some(({ model }) => model === NOT_ITEMISED)).toBe(deleted > 0n);
    }),
  );
});

test("books that do not add up make no statement", () => {
  const books = { opening: 0n, change: 1n, lines: [], used: 0n, usage: [] };
  expect(() => drawStatement(HEADING, books)).toThrow("does not add up");
});

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`statements and receipts on ${kind}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await Shop.open(kind);
    });
    afterAll(() => shop.close());

    const post = (organizationId: string, atMs: number, amount: number) =>
      shop.app.storage.billing.ledger.post({
        key: `topup:${organizationId}:${atMs}`,
        kind: "topup",
        organizationId,
        amount: BigInt(amount),
        cash: "test",
        atMs,
        userId: null,
        reason: '=HYPERLINK("http://evil")<b>',
        details: {},
      });

    interface Shown {
      readonly openingBalance: number;
      readonly closingBalance: number;
      readonly startsAt: string;
      readonly endsAt: string;
      readonly entries: readonly { readonly amount: number }[];
    }

    test("a month is the zone's own, and one month's end is the next one's beginning", async () => {
      const person = await newPerson(shop.app);
      await person.send("PUT", "/api/gw/organizations", { id: person.ownId, timezone: "Asia/Kolkata" });
      // 19:00 UTC on the last of September is half past midnight of the first of October in Kolkata.
      await post(person.ownId, Date.parse("2026-09-30T18:29:59.999Z"), 7 * USD + 1);
      await post(person.ownId, Date.parse("2026-09-30T18:30:00.000Z"), 11 * USD + 2);
      await post(person.ownId, Date.parse("2026-10-31T18:29:59.999Z"), -1);
      const read = async (month: string) =>
        (await person.send("GET", `/api/billing/statements/${month}`)).body as Shown;
      const [september, october] = [await read("2026-09"), await read("2026-10")];
      expect(october.startsAt).toBe("2026-09-30T18:30:00.000Z");
      expect(october.endsAt).toBe("2026-10-31T18:30:00.000Z");
      expect([september.openingBalance, september.closingBalance]).toEqual([0, 7 * USD + 1]);
      expect(october.openingBalance).toBe(september.closingBalance);
      expect(october.entries.map(({ amount }) => amount)).toEqual([11 * USD + 2, -1]);
      expect(october.closingBalance).toBe(18 * USD + 2);
    });

    test("a month that is over stays as it was told when the zone is changed, and the next begins where it ended", async () => {
      const clock = new SteppedClock();
      clock.set(Date.parse("2027-01-05T12:00:00Z") - clock.nowMs());
      const app = await startAppOn(kind, "", clock);
      const { email, ownId } = await newPerson(app);
      let key = "";
      /** Somebody comes back, whose session has ended meanwhile. */
      const comeAt = async (time: string) => {
        clock.step(Date.parse(time) - clock.nowMs());
        const answer = await app.call("/api/auth/token", { json: { email, password: "a good long one" } });
        key = ((await answer.json()) as { token: string }).token;
      };
      const setZone = async (timezone: string) =>
        (await app.call("/api/gw/organizations", { method: "PUT", key, json: { id: ownId, timezone } })).status;
      const read = async (month: string) =>
        (await (await app.call(`/api/billing/statements/${month}`, { key })).json()) as Shown & { timezone: string };
      const borders = async (month: string) => {
        const { startsAt, endsAt, timezone } = await read(month);
        return [startsAt, endsAt, timezone].join(" ");
      };
      // The zone of a month that is not over may still be chosen, also that of its beginning: nothing was before.
      await comeAt("2027-01-06T12:00:00Z");
      expect(await setZone("Asia/Kolkata")).toBe(200);
      await comeAt("2027-02-10T12:00:00Z");
      const january = await read("2027-01");
      expect(await borders("2027-01")).toBe("2026-12-31T18:30:00.000Z 2027-01-31T18:30:00.000Z Asia/Kolkata");
      expect(await setZone("America/New_York")).toBe(200);
      expect(await read("2027-01")).toEqual(january);
      expect(await borders("2027-02")).toBe("2027-01-31T18:30:00.000Z 2027-03-01T05:00:00.000Z America/New_York");
      await comeAt("2027-03-02T12:00:00Z");
      expect(await setZone("UTC")).toBe(200);
      expect(await read("2027-01")).toEqual(january);
      expect(await borders("2027-02")).toBe("2027-01-31T18:30:00.000Z 2027-03-01T05:00:00.000Z America/New_York");
      expect(await borders("2027-03")).toBe("2027-03-01T05:00:00.000Z 2027-04-01T00:00:00.000Z UTC");
      await app.close();
    });

    test("calls are told in the month that charged them, whenever they came in", async () => {
      const person = await newPerson(shop.app);
      const charged = async (model: string, at: string, when: string) => {
        const call = newCall({ organizationId: person.ownId, requestedModel: model, at: Date.parse(at), cost: 5n });
        await shop.app.storage.settlement.settle("here", [endedCall(call, [])], Date.parse(when));
      };
      const read = async () => {
        const { body } = await person.send("GET", "/api/billing/statements/2026-10");
        return (body as { usage: { model: string; calls: number }[] }).usage.map(({ model, calls }) => [model, calls]);
      };
      await charged("same", "2026-10-05T00:00:00Z", "2026-10-05T00:00:01Z");
      await charged("before", "2026-09-30T23:59:59Z", "2026-10-01T00:00:01Z");
      await charged("later", "2026-10-31T23:59:59Z", "2026-11-01T00:00:01Z");
      // By a clock that was set back in between.
      await charged("back", "2026-11-01T00:30:00Z", "2026-10-31T23:40:00Z");
      expect((await read()).sort()).toEqual([
        ["back", 1],
        ["before", 1],
        ["same", 1],
      ]);
      // From a journal that was found much later.
      await charged("long", "2026-08-01T00:00:00Z", "2026-10-07T00:00:00Z");
      expect((await read()).sort()).toEqual([
        ["back", 1],
        ["before", 1],
        ["long", 1],
        ["same", 1],
      ]);
    });

    test("a statement is read while somebody else writes for long", async () => {
      const person = await newPerson(shop.app);
      await post(person.ownId, Date.parse("2026-10-05T00:00:00Z"), 3);
      const release = Promise.withResolvers<void>();
      const writing = shop.app.storage.accounts.transaction(async (tx) => {
        await tx.settings.put("a test", person.ownId);
        await release.promise;
      });
      const { status } = await person.send("GET", "/api/billing/statements/2026-10");
      release.resolve();
      await writing;
      expect(status).toBe(200);
    });

    test("the spreadsheet adds up too, runs no formula, and the page holds no markup of others", async () => {
      const person = await newPerson(shop.app);
      await post(person.ownId, Date.parse("2026-10-05T00:00:00Z"), 3);
      const get = async (format: string) =>
        shop.app.call(`/api/billing/statements/2026-10?format=${format}`, { key: person.token });
      const csv = await get("csv");
      expect(csv.headers.get("content-disposition")).toContain("statement-2026-10.csv");
      const rows = (await csv.text()).trimEnd().split("\r\n").slice(1);
      const amounts = rows.map((row) => Number(/,(-?\d+),-?[\d.]+$/.exec(row)?.[1]));
      const closing = amounts.pop();
      expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(closing as number);
      expect(closing).toBe(3);
      expect(rows.join("\n")).toContain(`"'=HYPERLINK`);
      const html = await (await get("html")).text();
      expect(html).not.toContain("<b>");
      expect(html).toContain("&#60;b&#62;");
    });

    test("there is none of what is no month, of the future, or for members", async () => {
      const person = await newPerson(shop.app);
      for (const month of ["2026-13", "2026-1", "all", "2099-01"]) {
        expect((await person.send("GET", `/api/billing/statements/${month}`)).status).toBe(404);
      }
    });

    test("usage is told by model and team, and adds up with what was charged, in every form", async () => {
      const person = await newPerson(shop.app);
      await post(person.ownId, Date.now(), 20 * USD);
      const [team] = await shop.app.storage.accounts.teams.list(person.ownId);
      const owner = { organizationId: person.ownId, teamId: team?.team.id ?? null };
      const costs = [123_456_789n, 1n, 333_333_333n, 0n];
      const calls = costs.map((cost, at) =>
        endedCall(newCall({ ...owner, cost, requestedModel: at === 2 ? "large" : "small" }), [
          `wallet:${person.ownId}`,
        ]),
      );
      await shop.app.storage.settlement.settle("nobody", calls, Date.now());
      const month = new Date().toISOString().slice(0, 7);
      const { body } = await person.send("GET", `/api/billing/statements/${month}`);
      const used = Number(costs.reduce((sum, cost) => sum + cost, 0n));
      expect(body as object).toMatchObject({
        openingBalance: 0,
        totals: { purchases: 20 * USD, usage: -used },
        usage: [
          { model: "large", teamName: "Default", calls: 1, cost: 333_333_333 },
          { model: "small", teamName: "Default", calls: 2, cost: 123_456_790 },
        ],
        closingBalance: 20 * USD - used,
      });
      expect((body as { closingBalance: number }).closingBalance).toBe(await shop.balance(person));
      const csv = await shop.app.call(`/api/billing/statements/${month}?format=csv`, { key: person.token });
      const amounts = (await csv.text())
        .trimEnd()
        .split("\r\n")
        .slice(1)
        .map((row) => Number(/,(-?\d+),-?[\d.]+$/.exec(row)?.[1]));
      expect(amounts.pop()).toBe(amounts.reduce((sum, amount) => sum + amount, 0));
    });

    test("calls that are charged while it is drawn are in it or not, and never make its parts more than the whole", async () => {
      const person = await newPerson(shop.app);
      const record = () => newCall({ organizationId: person.ownId, cost: 7n });
      const settle = async () => {
        for (let batch = 0; batch < 4; batch++) {
          await shop.app.storage.settlement.settle("here", [endedCall(record(), [])], Date.now());
        }
      };
      const month = new Date().toISOString().slice(0, 7);
      for (let look = 0; look < 40; look++) {
        const [{ body }] = await Promise.all([person.send("GET", `/api/billing/statements/${month}`), settle()]);
        const { totals, usage } = body as { totals: { usage: number }; usage: { model: string; cost: number }[] };
        const parts = usage.reduce((sum, { cost }) => sum + cost, 0);
        expect([parts, usage.map(({ model }) => model)]).toEqual([-totals.usage || 0, parts === 0 ? [] : ["echo"]]);
      }
    });

    test("a receipt is of what was paid, in every form", async () => {
      const person = await newPerson(shop.app);
      const purchase = await shop.buy("19.99", person);
      const path = `/api/billing/purchases/${purchase.id}/receipt`;
      expect((await person.send("GET", path)).status).toBe(409);
      await shop.press(purchase, "pay");
      expect((await person.send("GET", path)).body as object).toMatchObject({
        id: purchase.id,
        totalCents: 1999,
        amount: 19.99 * USD,
        mode: "test",
      });
      const html = await (await shop.app.call(`${path}?format=html`, { key: person.token })).text();
      expect(html).toContain("19.99 USD");
      expect(html).toContain("test mode");
      const csv = await (await shop.app.call(`${path}?format=csv`, { key: person.token })).text();
      expect(csv).toContain(`${purchase.id},`);
    });

    test("a payment whose event was lost is found in the provider's books, and credited once", async () => {
      const person = await newPerson(shop.app);
      const purchase = await shop.buy(20, person);
      await shop.press(purchase, "pay-silently");
      expect(await shop.balance(person)).toBe(0);
      const { reconciliation, tick } = shop.app.service.billing;
      // What every worker does now and then is not this: each of them would ask the provider for the same lists.
      await tick();
      expect(await shop.balance(person)).toBe(0);
      expect(await reconciliation.run()).toMatchObject({ mended: 1, odd: 0 });
      expect(await shop.balance(person)).toBe(20 * USD);
      expect(await reconciliation.run()).toMatchObject({ mended: 0, odd: 0 });
      await shop.press(purchase, "settle");
      expect(await shop.entries(person)).toEqual([{ kind: "topup", amount: 20 * USD }]);
    });
  });
}
