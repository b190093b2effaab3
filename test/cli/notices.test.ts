import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { startPlace } from "./command-line.ts";

const place = await startPlace({ TURNPIKE_SIGNUP_CREDITS: "0" });
afterAll(() => place.close());

const SLOW_MS = 120_000;

test(
  "alerts, automatic top-up and webhooks are set and seen, and papers are read, with the command line alone",
  async () => {
    const ida = place.person();
    await ida.signUp("ida@example.com");
    expect((await ida.run(["alerts", "show"])).out).toMatch(
      /Told below +none\nOf budgets at +50 %, 80 %, 95 %, 100 %\n/,
    );
    const set = await ida.run(["alerts", "set", "10", "2.50", "--budget-percents", "90,100"]);
    expect([set.code, set.err]).toEqual([0, "You are told below: $10.00, $2.50; of budgets at: 90 %, 100 %.\n"]);
    expect(await ida.json<object>(["alerts", "show"])).toMatchObject({
      budgetPercents: [90, 100],
      thresholds: [{ threshold: 10_000_000_000 }, { threshold: 2_500_000_000 }],
    });
    expect((await ida.run(["alerts", "set", "ten"])).code).toBe(2);
    expect((await ida.run(["alerts", "set", "--budget-percents", "101"])).code).toBe(2);
    const bare = await ida.run(["alerts", "set"]);
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining("alerts set none")]);
    expect((await ida.run(["alerts", "set", "none", "5"])).code).toBe(2);
    expect((await ida.run(["alerts", "set", "--budget-percents", "80"])).err).toBe(
      "You are told below: $10.00, $2.50; of budgets at: 80 %.\n",
    );
    expect((await ida.run(["alerts", "set", "none"])).err).toBe("You are told below: none; of budgets at: 80 %.\n");
    expect((await ida.run(["alerts", "set", "5", "--budget-percents", "none"])).err).toBe(
      "You are told below: $5.00; of budgets at: none.\n",
    );

    // Before it is topped up automatically: with less than the threshold there, that would buy as soon as it is on.
    const { purchase } = await ida.json<{ purchase: { id: string } }>(["credits", "buy", "20"]);
    const unpaid = await ida.run(["purchases", "receipt", purchase.id]);
    expect([unpaid.code, unpaid.err]).toEqual([1, "turnpike: The purchase has not been paid.\n"]);
    await fetch(`${place.url}/checkout/test/${purchase.id}/pay`, { method: "POST", redirect: "manual" });

    const on = ["auto-topup", "on", "--threshold", "5", "--amount", "20", "--monthly-cap", "100"];
    const early = await ida.run(on);
    expect([early.code, early.err]).toEqual([1, expect.stringContaining("auto-topup card")]);
    const { setupUrl } = await ida.json<{ setupUrl: string }>(["auto-topup", "card"]);
    expect(
      (await fetch(`${place.url}${new URL(setupUrl).pathname}/save`, { method: "POST", redirect: "manual" })).status,
    ).toBe(303);
    expect((await ida.run(on)).err).toBe("Below $5.00, $20.00 is bought.\n");
    expect((await ida.run(["auto-topup", "show"])).out).toMatch(
      /On +yes\nBelow +\$5\.00\nBuys +\$20\.00\nIn a month +\$100\.00/,
    );
    expect((await ida.run(["auto-topup", "off"])).code).toBe(0);
    expect((await ida.run(["auto-topup", "show", "--quiet"])).out).toBe("off\n");

    const hook = "https://hooks.example.com/turnpike";
    const added = await ida.run(["webhooks", "add", hook, "--events", "balance.low", "budget.threshold", "--quiet"]);
    expect(added.out).toMatch(/^whsec_\S+\n$/);
    const listed = await ida.run(["webhooks", "list"]);
    expect(listed.out).toMatch(
      /^[\w-]{36}\thttps:\/\/hooks\.example\.com\/turnpike\tbalance\.low budget\.threshold\tactive\n$/,
    );
    const local = await ida.run(["webhooks", "add", "http://127.0.0.1/x"]);
    expect([local.code, local.err]).toEqual([2, expect.stringContaining("billing.allow_private_webhooks")]);
    const odd = await ida.run(["webhooks", "add", "ftp://hooks.example.com"]);
    expect([odd.code, odd.err]).toEqual([2, expect.stringContaining("begins with https:// or http://")]);
    const unknown = await ida.run(["webhooks", "add", hook, "--events", "nonsense"]);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("balance.low, balance.depleted")]);
    const endpoint = listed.out.split("\t")[0] ?? "";
    expect((await ida.run(["webhooks", "rotate", endpoint])).code).toBe(2);
    const rotated = await ida.run(["webhooks", "rotate", endpoint, "--yes", "--quiet"]);
    expect(rotated.out).toMatch(/^whsec_\S+\n$/);
    expect(rotated.out).not.toBe(added.out);
    expect(await ida.run(["webhooks", "deliveries", endpoint])).toMatchObject({ code: 0, out: "" });
    expect((await ida.run(["webhooks", "replay", endpoint, "none"])).code).toBe(5);
    expect((await ida.run(["webhooks", "remove", endpoint, "--yes"])).code).toBe(0);
    expect((await ida.run(["webhooks", "list"])).out).toBe("");

    const receipt = await ida.run(["purchases", "receipt", purchase.id]);
    expect(receipt.out).toMatch(
      /^Receipt +[\w-]{36}\n[\s\S]*Total +20\.00 USD\nCredits +\$20\.00\nGiven back +\$0\.00\n$/,
    );
    expect((await ida.run(["purchases", "receipt", purchase.id, "--csv"])).out).toStartWith("receipt,organization,");
    const month = new Date().toISOString().slice(0, 7);
    const file = join(ida.home, "receipt.pdf");
    const nowhere = await ida.run(["purchases", "receipt", purchase.id, "--format", "pdf"]);
    expect([nowhere.code, nowhere.out, nowhere.err]).toEqual([2, "", expect.stringContaining("--out")]);
    expect((await ida.run(["statement", month, "--out", file])).code).toBe(2);
    expect(existsSync(file)).toBe(false);
    for (const paper of [
      ["purchases", "receipt", purchase.id],
      ["statement", month],
    ]) {
      expect(await ida.run([...paper, "--format", "pdf", "--out", file, "--quiet"])).toMatchObject({
        code: 0,
        out: `${file}\n`,
      });
      expect(readFileSync(file, "latin1")).toMatch(/^%PDF-1\.4\n[\s\S]*%%EOF\n$/);
    }
    const written = await ida.json<object>(["statement", month, "--format", "csv", "--out", file]);
    expect(written).toEqual({ file, bytes: statSync(file).size });
    expect(readFileSync(file, "utf8")).toStartWith("time,kind,");
    // What is written and what is told of it are two things: -o is about the second.
    expect((await ida.run(["statement", month, "--out", file, "-o", "csv"])).code).toBe(2);
    const told = await ida.run(["statement", month, "--format", "pdf", "--out", file, "-o", "csv"]);
    expect([told.code, told.out]).toEqual([0, `File,Bytes\r\n${file},${statSync(file).size}\r\n`]);
    expect(readFileSync(file, "latin1")).toStartWith("%PDF-");
    expect((await ida.run(["statement", month, "-o", "csv"])).out).toStartWith("time,kind,");
    const statement = await ida.run(["statement", month]);
    expect(statement.out).toMatch(
      /Opening +\$0\.00\n\nEntries\n +\S+ +topup +Credits bought +\$20\.00\n\nClosing +\$20\.00\n$/,
    );
    expect((await ida.run(["statement", month, "--csv"])).out).toStartWith("time,kind,");
    expect(await ida.json<object>(["statement", month])).toMatchObject({ closingBalance: 20_000_000_000 });
    const who = await ida.run(["whoami"]);
    expect(who.out).toMatch(/Organization +ida's organization \([\w-]{36}\)/);
  },
  SLOW_MS,
);
