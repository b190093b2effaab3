import { afterAll, expect, test } from "bun:test";
import { ADMIN, startPlace } from "./command-line.ts";

const place = await startPlace({ TURNPIKE_SIGNUP_CREDITS: "0" });
afterAll(() => place.close());
const SLOW_MS = 60_000;

test(
  "an administrator gives credit once, and its organization sees where it came from",
  async () => {
    const [root, kim] = [place.person(), place.person()];
    await root.run(["login", "--email", ADMIN.email, "--password-stdin"], { stdin: ADMIN.password });
    await kim.signUp("kim@example.com");
    const { data } = await kim.json<{ data: { id: string; slug: string }[] }>(["orgs", "list"]);
    const id = data[0]?.id ?? "";
    expect((await kim.run(["balance", "--quiet"])).out).toBe("0\n");
    const give = (usd: string, ...more: string[]) =>
      root.run(["admin", "credits", "grant", id, usd, "--reason", "For a test", ...more]);
    expect((await give("$12.50", "--key", "once")).err).toContain("$12.50 is given; the balance is $12.50");
    expect((await give("12.5", "--key", "once")).err).toContain("was given before");
    const bySlug = ["admin", "credits", "grant", data[0]?.slug ?? "", "0.000000001", "--reason", "For a test"];
    expect((await root.run(bySlug)).code).toBe(0);
    const nobody = await root.run(["admin", "credits", "grant", "nobody's", "1", "--reason", "x"]);
    expect([nobody.code, nobody.err]).toEqual([5, expect.stringContaining("turnpike admin organizations list")]);
    expect((await root.run(["admin", "organizations", "list"])).code).toBe(0);
    expect((await give("1.5e3")).code).toBe(2);
    expect((await kim.run(["balance"])).out).toMatch(
      /Balance +\$12\.500000001\nHeld +\$0\.00\nAvailable +\$12\.500000001\n/,
    );
    expect((await kim.run(["quota"])).out).toMatch(/Granted +\$12\.500000001\nUsed +\$0\.00\nStatus +active/);
    const { out } = await kim.run(["ledger", "list"]);
    expect(out.split("\n").map((line) => line.split("\t").slice(1).join(" "))).toEqual([
      "grant $0.000000001 $12.500000001 For a test",
      "grant $12.50 $12.50 For a test",
      "",
    ]);
    expect((await kim.run(["admin", "credits", "grant", id, "1", "--reason", "mine"])).code).toBe(4);
  },
  SLOW_MS,
);
