import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { extractText, getDocumentProxy } from "unpdf";
import type { BillingStores } from "../../src/billing/store.ts";
import { endedCall } from "../../src/ledger/settle-store.ts";
import { newPerson, type Person } from "../accounts/people.ts";
import { newCall } from "../ledger/new-call.ts";
import { DATABASES } from "../storage/databases.ts";
import { charge, dispute, Shop, USD } from "./shop.ts";

const SELLER = `  billing:
    seller_name: Turnpike (Test) Ltd
    seller_address: |
      1 High Street
      Oxford
    seller_tax_id: GB123456789
`;
const OCTOBER = Date.parse("2025-10-05T12:00:00Z");

interface Drawn {
  readonly text: string;
  readonly x: number;
  readonly size: number;
}

/** What stands on the pages, as the file itself says it: nothing in it is packed. */
const drawnIn = (pdf: string): Drawn[] =>
  [...pdf.matchAll(/^BT \/F[12] ([\d.]+) Tf ([\d.]+) [\d.]+ Td \((.*)\) Tj ET$/gm)].map(([, size, x, text = ""]) => ({
    size: Number(size),
    x: Number(x),
    text: text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
  }));

/** An amount of the paper in nano-USD. */
const nano = (amount: string): bigint => {
  const [, sign, whole = "", decimals = ""] = /^(-?)(\d+)\.(\d+)$/.exec(amount) ?? [];
  return BigInt(`${sign}${whole}${decimals.padEnd(9, "0")}`);
};

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`papers as PDF on ${kind}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await Shop.open(kind, SELLER);
    });
    afterAll(() => shop.close());

    const fetchPdf = async (person: Person, path: string) => {
      const response = await shop.app.call(`${path}?format=pdf`, { key: person.token });
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/pdf"]);
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { response, file: Buffer.from(bytes).toString("latin1"), bytes };
    };

    /** As a reader of PDF finds it: it goes by the table of objects at the end of the file. */
    const read = async (bytes: Uint8Array) =>
      (await extractText(await getDocumentProxy(bytes.slice(), { verbosity: 0 }), { mergePages: false })).text;

    const post = (
      person: Person,
      at: number,
      amount: bigint,
      reason: string,
      { ledger }: Pick<BillingStores, "ledger"> = shop.app.storage.billing,
    ) =>
      ledger.post({
        key: `topup:${person.ownId}:${at}`,
        kind: "topup",
        organizationId: person.ownId,
        amount,
        cash: "test",
        atMs: at,
        userId: null,
        reason,
        details: {},
      });

    interface Entry {
      readonly id: string;
      readonly amount: number;
      readonly kind: string;
    }
    type Receipt = { amount: number; refunded: number; disputed: number; kept: number; entries: Entry[] } & Record<
      "paidAt" | "provider" | "amountUsd" | "refundedUsd" | "disputedUsd" | "keptUsd",
      string
    >;
    type Statement = { openingBalance: number; closingBalance: number; isOver: boolean; entries: Entry[] };

    test("a receipt names seller, buyer and every entry of the books, what went back included, and adds up", async () => {
      const person = await newPerson(shop.app);
      await person.send("PUT", "/api/gw/organizations", { id: person.ownId, name: "Żółć GmbH (株式会社) \\) Tj" });
      const purchase = await shop.buy("19.99", person);
      const path = `/api/billing/purchases/${purchase.id}/receipt`;
      const early = await shop.app.call(`${path}?format=pdf`, { key: person.token });
      expect(early.status).toBe(409);
      await shop.press(purchase, "pay");
      const [payment] = (await shop.app.storage.billing.purchases.list(person.ownId, { page: 1, pageSize: 1 })).rows;
      const ref = { payment_intent: payment?.paymentRef };
      expect(await shop.tell({ type: "charge.refunded", object: charge(purchase, 500, ref) })).toBe(200);
      const disputed = dispute(purchase, "needs_response", { ...ref, amount: 300 });
      expect(await shop.tell({ type: "charge.dispute.created", object: disputed })).toBe(200);

      const json = (await person.send("GET", path)).body as Receipt;
      expect(json).toMatchObject({ amount: 19.99 * USD, refunded: 5 * USD, disputed: 3 * USD, kept: 11.99 * USD });
      expect(json.entries.map((entry) => [entry.kind, entry.amount])).toEqual([
        ["topup", 19.99 * USD],
        ["refund", -5 * USD],
        ["dispute", -3 * USD],
      ]);
      expect(await shop.balance(person)).toBe(json.kept);

      const csv = await (await shop.app.call(`${path}?format=csv`, { key: person.token })).text();
      const [headings, values, ...more] = csv.split("\r\n").map((line) => line.split(","));
      expect(more).toEqual([[""]]);
      const columns = (headings ?? []).map((heading, at) => [heading, values?.[at]]);
      expect([values?.length, columns]).toEqual([
        11,
        [
          ["receipt", purchase.id],
          ["organization", "Żółć GmbH (株式会社) \\) Tj"],
          ["paid_at", json.paidAt],
          ["provider", json.provider],
          ["mode", "test"],
          ["total_cents", "1999"],
          ["currency", "usd"],
          ["amount_usd", json.amountUsd],
          ["refunded_usd", json.refundedUsd],
          ["disputed_usd", json.disputedUsd],
          ["kept_usd", json.keptUsd],
        ],
      ]);

      const { response, file, bytes } = await fetchPdf(person, path);
      expect(response.headers.get("content-disposition")).toBe(`attachment; filename="receipt-${purchase.id}.pdf"`);
      const drawn = drawnIn(file);
      const texts = drawn.map(({ text }) => text);
      expect(texts.slice(0, 4)).toEqual(["Turnpike (Test) Ltd", "1 High Street", "Oxford", "Tax ID GB123456789"]);
      expect(texts).toContain("Receipt (test mode: no money moved)");
      expect(texts).toContain("Zólc GmbH ([U+682A U+5F0F U+4F1A U+793E]) \\) Tj");
      expect(texts).toContain("19.99 USD");
      expect(texts.join(" ")).toContain("Underlined: the fonts of this file lack the character.");
      const rows = json.entries.map(({ id }) => drawn.slice(texts.indexOf(id) + 1, texts.indexOf(id) + 4));
      expect(rows.map((row) => nano(row.at(-1)?.text ?? ""))).toEqual(json.entries.map(({ amount }) => BigInt(amount)));
      expect(nano(texts[texts.indexOf("Kept") + 1] ?? "")).toBe(BigInt(json.kept));
      expect(nano(texts[texts.lastIndexOf("Total") + 1] ?? "")).toBe(BigInt(json.kept));
      const [page = ""] = await read(bytes);
      expect(page).toContain("Zólc GmbH");
      expect(page).toContain(purchase.id);
      // The same facts are the same bytes.
      expect((await fetchPdf(person, path)).file).toBe(file);
    });

    test("a receipt is for administrators of the buyer alone", async () => {
      const [person, other] = [await newPerson(shop.app), await newPerson(shop.app)];
      const purchase = await shop.buy(20, person);
      await shop.press(purchase, "pay");
      await post(person, OCTOBER, 5n, "theirs");
      for (const path of [`purchases/${purchase.id}/receipt`, "statements/2025-10"]) {
        const headers = { "x-organization-id": person.ownId };
        const call = { key: other.token, headers };
        expect((await shop.app.call(`/api/billing/${path}?format=pdf`, call)).status).toBe(404);
        expect((await shop.app.call(`/api/billing/${path}?format=pdf`, {})).status).toBe(401);
      }
      const own = await fetchPdf(other, "/api/billing/statements/2025-10");
      expect(own.file).not.toContain("theirs");
      expect((await person.send("GET", "/api/billing/statements/2025-10?format=doc")).status).toBe(400);
    });

    test("a receipt that the books contradict is not given out", async () => {
      const person = await newPerson(shop.app);
      const purchase = await shop.buy(20, person);
      await shop.press(purchase, "pay");
      await shop.app.storage.billing.purchases.update(purchase.id, { refunded: 1n });
      expect((await person.send("GET", `/api/billing/purchases/${purchase.id}/receipt`)).status).toBe(500);
    });

    // Which database they come from makes no difference to the pages.
    test.if(kind === "sqlite")(
      "3,000 lines stand on pages with headings, right-aligned, and come to the same as the JSON",
      async () => {
        const person = await newPerson(shop.app);
        let sum = 0n;
        await shop.app.storage.billing.transaction(async (tx) => {
          for (let at = 0; at < 3000; at++) {
            const amount = BigInt(at % 7 === 0 ? -at - 1 : at * 1_234_567 + 1);
            const reason = at % 50 === 0 ? "A reason that is too long for a line" : "Bought";
            sum += amount;
            await post(person, OCTOBER + at, amount, reason, tx);
          }
        });
        const json = (await person.send("GET", "/api/billing/statements/2025-10")).body as Statement;
        expect([json.entries.length, json.closingBalance, json.isOver]).toEqual([3000, Number(sum), true]);
        const { file, bytes } = await fetchPdf(person, "/api/billing/statements/2025-10");
        const drawn = drawnIn(file);
        const pages = await read(bytes);
        expect(pages.length).toBeGreaterThan(50);
        const headings = drawn.filter(({ text }) => text === "Entry").length;
        expect([pages.length, pages.length - 1]).toContain(headings);
        expect(drawn.some(({ text }) => text === `Page ${pages.length} of ${pages.length}`)).toBe(true);
        const wanted = json.entries.map(({ id, amount }) => [id, BigInt(amount)] as const);
        const places = new Map(drawn.map(({ text }, at) => [text, at]));
        const found = json.entries.map(({ id }) => {
          const row = drawn.slice((places.get(id) ?? 0) + 1, (places.get(id) ?? 0) + 4);
          return [id, nano(row.find(({ text }) => /^-?\d+\.\d{9}$/.test(text))?.text ?? "")] as const;
        });
        expect(found).toEqual(wanted);
        const texts = drawn.map(({ text }) => text);
        expect(nano(texts[texts.indexOf("Closing balance") + 1] ?? "")).toBe(sum);
        // Figures are as wide as each other: where all end at one place, shorter ones begin further right.
        const digits = drawn.filter(({ text, size }) => size === 8 && /^\d+\.\d{9}$/.test(text));
        const ends = new Set(digits.map(({ text, x }) => Math.round(x + (text.length - 1) * 0.556 * 8 + 0.278 * 8)));
        expect([...ends]).toEqual([545]);
      },
      120_000,
    );

    test("usage of odd names is told, and a month that lasts is not taken for a whole one", async () => {
      const person = await newPerson(shop.app);
      const month = new Date().toISOString().slice(0, 7);
      const record = newCall({ organizationId: person.ownId, cost: 123_456_789n, requestedModel: "模型(1)\\" });
      await shop.app.storage.settlement.settle("nobody", [endedCall(record, [`wallet:${person.ownId}`])], Date.now());
      const { file } = await fetchPdf(person, `/api/billing/statements/${month}`);
      const texts = drawnIn(file).map(({ text }) => text);
      expect(texts.slice(texts.indexOf("[U+6A21 U+578B](1)\\"))[3]).toBe("0.123456789");
      expect(texts[texts.indexOf("Usage") + 1]).toBe("-0.123456789");
      expect(texts).toContain("Not final: the month is not over, and more may come.");
    });
  });
}
