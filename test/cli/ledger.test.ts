import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { newFolder, startTurnpike } from "../e2e/process.ts";
import { Person } from "./command-line.ts";

const SLOW_MS = 60_000;
const folder = newFolder();
const operator = new Person("http://127.0.0.1:9");
afterAll(() => {
  operator.remove();
  folder.remove();
});

test("the books of an earlier version are not looked at, and the command that brings them along names the same folder", async () => {
  const dataDir = join(folder.path, "an earlier one");
  mkdirSync(dataDir);
  new Database(join(dataDir, "turnpike.db"), { create: true }).close();
  for (const command of ["ledger verify", "usage replay", "audit verify"]) {
    const { code, err } = await operator.run([...command.split(" "), "--data-dir", dataDir]);
    expect([code, err]).toEqual([1, expect.stringContaining(`: turnpike migrate --data-dir '${dataDir}'\n`)]);
  }
  expect((await operator.run(["migrate", "--data-dir", dataDir])).code).toBe(0);
  expect((await operator.run(["ledger", "verify", "--data-dir", dataDir])).code).toBe(0);
});

test(
  "an operator verifies the books beside a running server, sees an organization's, and is told of a difference",
  async () => {
    const server = await startTurnpike(folder.path);
    const dataDir = join(folder.path, "data");
    const data = ["--data-dir", dataDir];
    const good = await operator.run(["ledger", "verify", ...data]);
    expect(good).toMatchObject({ code: 0, err: "" });
    expect(good.out).toContain("ok      balances");
    server.kill("SIGTERM");
    await server.exited;
    const database = new Database(join(dataDir, "turnpike.db"));
    const { organization } = database
      .query("select organization_id as organization from ledger_accounts where kind = 'wallet'")
      .get() as { organization: string };
    expect((await operator.run(["ledger", "show", organization, ...data])).out).toMatch(
      /balance +\$10\.00\n[\s\S]* \$10\.00 {2}\$10\.00 {2}Demo credit/,
    );
    const { slug, name } = database.query("select slug, name from organizations where id = ?").get(organization) as {
      slug: string;
      name: string;
    };
    for (const other of [slug, name]) {
      expect((await operator.run(["ledger", "show", other, ...data])).out).toContain(organization);
    }
    expect((await operator.run(["ledger", "--help"])).out).toContain("ledger verify");
    expect((await operator.run(["usage", "--help"])).out).toContain("usage replay");
    const nobody = await operator.run(["ledger", "show", "nobody", ...data]);
    expect([nobody.code, nobody.err]).toEqual([5, "turnpike: There is no organization nobody.\n"]);
    const missing = await operator.run(["ledger", "show", "nobody", "--json", ...data]);
    expect([missing.code, missing.out, JSON.parse(missing.err)]).toEqual([
      5,
      "",
      { error: "There is no organization nobody.", code: "NOT_FOUND", requestId: null },
    ]);
    const shown = await operator.run(["ledger", "show", organization, "--json", ...data]);
    expect(shown.out.trimEnd()).not.toContain("\n");
    expect(JSON.parse(shown.out)).toMatchObject({
      organizationId: organization,
      balance: 10_000_000_000,
      balanceUsd: "10",
      data: [{ kind: "grant", amount: 10_000_000_000, at: expect.stringMatching(/Z$/) }],
      meta: { page: 1, pageSize: 50, total: 1, totalPages: 1 },
    });
    expect((await operator.run(["usage", "replay", ...data])).out).toContain("0 calls found");
    database.run("update ledger_accounts set balance = balance - 1 where kind = 'wallet'");
    database.close();
    const bad = await operator.run(["ledger", "verify", "--json", ...data]);
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out)).toMatchObject({ ok: false });
    expect(bad.out).toContain("9999999999, not 10000000000");
  },
  SLOW_MS,
);

describe("in a folder without a database", () => {
  test.each(["ledger verify", "ledger show anybody", "usage replay"])("%s says so and makes none", async (command) => {
    const empty = join(folder.path, "empty", command);
    const { code, out, err } = await operator.run([...command.split(" "), "--data-dir", empty]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(`turnpike: There is no database in ${empty}; name the data folder with --data-dir.\n`);
    expect(existsSync(empty)).toBe(false);
  });

  test("a database that is away is 7 and said in words", async () => {
    const env = { TURNPIKE_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
    for (const args of [["migrate"], ["migrate", "--dry-run"], ["ledger", "verify"]]) {
      const { code, err } = await operator.run([...args, "--json"], { env });
      expect([code, JSON.parse(err)]).toEqual([
        7,
        {
          error: expect.stringMatching(/^The database does not answer\. Is it running/),
          code: "DB_TIMEOUT",
          requestId: null,
        },
      ]);
      expect((await operator.run(args, { env })).err.trim().split("\n")).toHaveLength(1);
    }
  });

  test("a database of another version is named as such", async () => {
    const other = join(folder.path, "other");
    mkdirSync(other);
    new Database(join(other, "turnpike.db"), { create: true }).close();
    const { code, err } = await operator.run(["ledger", "verify", "--data-dir", other]);
    expect([code, err]).toEqual([1, expect.stringContaining("turnpike migrate")]);
  });

  test("wrong arguments end with 2, as one object with --json", async () => {
    expect((await operator.run(["ledger", "verify", "--nonsense"])).code).toBe(2);
    const { code, err } = await operator.run(["ledger", "show", "--json"]);
    expect([code, JSON.parse(err).code]).toEqual([2, "USAGE_ERROR"]);
    expect((await operator.run(["ledger", "verify", "--help"])).code).toBe(0);
  });
});
