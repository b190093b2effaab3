import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { renameSync } from "node:fs";
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
  "an operator verifies the audit log beside a server, which seals it, and is told what was changed and what is missing",
  async () => {
    const server = await startTurnpike(folder.path);
    const dataDir = join(folder.path, "data");
    const verify = (...more: string[]) => operator.run(["audit", "verify", "--data-dir", dataDir, ...more]);
    expect(await verify()).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringMatching(/^ok {6}verified up to row \d+/),
    });
    server.kill("SIGTERM");
    await server.exited;
    // What the last moments have written is sealed before the end.
    const report = JSON.parse((await verify("--json")).out);
    expect(report).toMatchObject({ ok: true, unsealed: 0, differences: 0, verifiedUpTo: report.head.seq });
    expect(report.head.seq).toBeGreaterThan(2);
    const noted = await verify("--head", `${report.head.seq}:${report.head.hash}`);
    expect([noted.code, noted.out]).toEqual([0, expect.stringContaining("the row that was noted: found")]);
    const other = await verify("--head", `${report.head.seq}:${"0".repeat(64)}`);
    expect([other.code, other.out]).toEqual([1, expect.stringContaining("it is not the row that was noted")]);
    expect((await verify("--head", "17")).code).toBe(2);

    const database = new Database(join(dataDir, "turnpike.db"));
    database.run("update audit_log set address = '192.0.2.1' where seq = 2");
    database.run("delete from audit_log where seq = ?", [report.head.seq]);
    database.close();
    const bad = await verify();
    expect(bad.code).toBe(1);
    expect(bad.out).toMatch(/^DIFFERS verified up to row 1; .*\n +first difference: row 2 \(.+\): it was changed\n/);
    expect(bad.out).toContain(`missing rows: 1 (${report.head.seq})`);
    expect(JSON.parse((await verify("--json")).out)).toMatchObject({ ok: false, verifiedUpTo: 1 });

    // Without the secret, or with another one, it is not the log that is to blame.
    const secrets = join(dataDir, "secrets.json");
    renameSync(secrets, `${secrets}.away`);
    const without = await verify();
    expect([without.code, without.err]).toEqual([2, expect.stringContaining("There is no secrets.json")]);
    const wrong = await operator.run(["audit", "verify", "--data-dir", dataDir], {
      env: { TURNPIKE_SECRET: "another-secret-0123456789abcdef" },
    });
    expect([wrong.code, wrong.out, wrong.err]).toEqual([1, "", expect.stringMatching(/secret/i)]);
  },
  SLOW_MS,
);
