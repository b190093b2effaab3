import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { openStorage } from "../../src/storage/open.ts";
import { Person, type Place, startPlace } from "../cli/command-line.ts";
import { newFolder, startTurnpike } from "./process.ts";

/** With the real process, its page to pay on and its webhook, and the command line alone. */
describe("buying credits", () => {
  let place: Place;
  beforeAll(async () => {
    place = await startPlace({ TURNPIKE_SIGNUP_CREDITS: "0" });
  });
  afterAll(() => place.close());

  test("somebody signs up, buys, pays on the page, and the balance is there", async () => {
    const person = place.person();
    expect((await person.signUp("buyer@example.com")).code).toBe(0);
    const waiting = person.start(["credits", "buy", "20", "--wait", "--json"]);
    const decoder = new TextDecoder();
    let told = "";
    for await (const chunk of waiting.stderr) {
      told += decoder.decode(chunk, { stream: true });
      if (told.includes("\n")) break;
    }
    const [url = ""] = /http:\S+\/checkout\/test\/\S+/.exec(told) ?? [];
    expect(url).toStartWith(place.url);
    expect(await (await fetch(url)).text()).toContain("Test mode");
    const pressed = await fetch(`${url}/pay-twice`, { method: "POST", redirect: "manual" });
    expect(pressed.status).toBe(303);
    const paid = JSON.parse(await new Response(waiting.stdout).text()) as { id: string; status: string };
    expect(paid.status).toBe("paid");
    expect(await waiting.exited).toBe(0);
    expect((await person.json<{ balanceUsd: string }>(["balance"])).balanceUsd).toBe("20");
    const list = await person.json<{ data: { id: string }[] }>(["purchases", "list"]);
    expect(list.data.map(({ id }) => id)).toEqual([paid.id]);
    const month = new Date().toISOString().slice(0, 7);
    expect((await person.run(["statement", month, "--csv"])).out).toContain("closing_balance");
    expect((await person.run(["statement", month])).out).toMatch(/Closing +\$20\.00\n/);
    expect((await person.run(["purchases", "receipt", paid.id, "--format", "html"])).out).toContain("Receipt");
  }, 60_000);

  test("a team that was blocked for the balance may call again as soon as it is paid", async () => {
    const folder = newFolder();
    const server = await startTurnpike(folder.path);
    const storage = openStorage({ databaseUrl: null, dataDir: join(folder.path, "data") });
    const person = place.person(server.url);
    try {
      await person.signUp("blocked@example.com");
      const key = (await person.run(["keys", "create", "my-key", "--quiet"])).out.trim();
      const { organizationId } = await person.json<{ organizationId: string }>(["balance"]);
      // What usage that cost more than there was leaves behind.
      await storage.billing.ledger.post({
        key: `dispute:test:${organizationId}`,
        kind: "dispute",
        organizationId,
        amount: -7_000_000_000n,
        cash: "test",
        atMs: Date.now(),
        userId: null,
        reason: "Overdrawn",
        details: {},
      });
      const call = async () => {
        const response = await fetch(`${server.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: "hello" }] }),
        });
        return { status: response.status, text: await response.text() };
      };
      const refused = await call();
      expect(refused.status).toBe(403);
      expect(refused.text).toContain("team_blocked");
      const { checkoutUrl } = await person.json<{ checkoutUrl: string }>(["credits", "buy", "20"]);
      expect((await fetch(`${checkoutUrl}/pay`, { method: "POST", redirect: "manual" })).status).toBe(303);
      expect((await person.json<{ balanceUsd: string }>(["balance"])).balanceUsd).toBe("13");
      expect((await call()).status).toBe(200);
    } finally {
      await storage.close();
      server.kill("SIGTERM");
      await server.exited;
      folder.remove();
    }
  }, 90_000);

  test("what is declined is no success, and an amount out of range is told so", async () => {
    const person = place.person();
    await person.signUp("declined@example.com");
    const { purchase, checkoutUrl } = await person.json<{ purchase: { id: string }; checkoutUrl: string }>([
      "credits",
      "buy",
      "5",
    ]);
    await fetch(`${checkoutUrl}/decline`, { method: "POST", redirect: "manual" });
    const { data } = await person.json<{ data: { id: string; status: string }[] }>(["purchases", "list"]);
    expect(data).toMatchObject([{ id: purchase.id, status: "failed" }]);
    const refused = await person.run(["credits", "buy", "4"]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("5 to 10000");
  }, 60_000);

  test("what is sent again because its answer was lost is one purchase", async () => {
    const losing = new LosingRelay(place.url, "/api/billing/checkout");
    const person = new Person(await losing.listen());
    expect((await person.signUp("twice@example.com")).code).toBe(0);
    losing.isLosing = true;
    const lost = await person.run(["credits", "buy", "20"]);
    expect(lost.code).toBe(7);
    const [, key = ""] = /credits buy 20 --key (\S+)/.exec(lost.err) ?? [];
    losing.isLosing = false;
    const buy = () => person.json<{ purchase: { id: string } }>(["credits", "buy", "20", "--key", key]);
    const { purchase } = await buy();
    expect((await buy()).purchase.id).toBe(purchase.id);
    const { data } = await person.json<{ data: { id: string }[] }>(["purchases", "list"]);
    expect(data.map(({ id }) => id)).toEqual([purchase.id]);
    expect((await person.run(["credits", "buy", "20"])).code).toBe(0);
    expect((await person.json<{ data: object[] }>(["purchases", "list"])).data).toHaveLength(2);
    person.remove();
    losing.close();
  }, 60_000);

  test("an administrator makes a voucher and somebody redeems it", async () => {
    const [admin, person] = [place.person(), place.person()];
    const { ADMIN } = await import("../cli/command-line.ts");
    await admin.run(["login", "--email", ADMIN.email, "--password-stdin"], { stdin: `${ADMIN.password}\n` });
    const code = (await admin.run(["admin", "vouchers", "create", "7.50", "--quiet"])).out.trim();
    await person.signUp("voucher@example.com");
    expect((await person.json<{ amountUsd: string }>(["credits", "redeem", code])).amountUsd).toBe("7.5");
    expect((await person.run(["credits", "redeem", code])).code).toBe(5);
    const { data } = await admin.json<{ data: { status: string }[] }>(["admin", "vouchers", "list"]);
    expect(data.map(({ status }) => status)).toEqual(["redeemed"]);
  }, 60_000);
});

/** Hands everything on, and breaks off in place of the answer to calls of one path. */
class LosingRelay {
  isLosing = false;
  private server: Server | null = null;

  constructor(
    private readonly to: string,
    private readonly path: string,
  ) {}

  listen(): Promise<string> {
    const { hostname, port } = new URL(this.to);
    const server = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      let isLost = false;
      client.on("data", (bytes) => {
        isLost ||= this.isLosing && bytes.includes(`POST ${this.path} `);
        upstream.write(bytes);
      });
      upstream.on("data", (bytes) => (isLost ? client.destroy() : client.write(bytes)));
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        one.on("close", () => other.destroy());
        one.on("error", () => other.destroy());
      }
    });
    this.server = server;
    const { promise, resolve } = Promise.withResolvers<string>();
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as { port: number }).port}`));
    return promise;
  }

  close(): void {
    this.server?.close();
  }
}
