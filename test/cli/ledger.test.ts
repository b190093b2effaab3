import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
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
    expect((await operator.run(["ledger", "show", "nobody", ...data])).code).toBe(1);
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
