import { afterAll, expect, test } from "bun:test";
import { openStorage } from "../../src/storage/open.ts";
import { newFolder, startTurnpike } from "../e2e/process.ts";
import { newCall } from "../storage/new-usage.ts";
import { Person } from "./command-line.ts";

const SLOW_MS = 60_000;
const folder = newFolder();
const server = await startTurnpike(folder.path, {});
const ada = new Person(server.url);
// A second connection to the server's own database: nothing else notes calls that were never made.
const storage = openStorage({ databaseUrl: null, dataDir: `${folder.path}/data` });
afterAll(async () => {
  await storage.close();
  server.kill("SIGKILL");
  await server.exited;
  ada.remove();
  folder.remove();
});

await ada.signUp("ada@example.com");
const { data: teams } = await ada.json<{ data: { id: string; organizationId: string }[] }>(["teams", "list"]);
const organizationId = teams[0]?.organizationId ?? "";
const calls = ["2026-01-01T10:00:00Z", "2026-01-02T10:00:00Z", "2026-02-01T10:00:00Z"].map((time, index) =>
  newCall({
    organizationId,
    teamId: teams[0]?.id ?? "",
    at: Date.parse(time),
    model: index === 1 ? "small" : "large",
    cost: BigInt((index + 1) * 1_000_000),
    attempts: [{ deploymentId: "d1", provider: "p1", statusCode: 200, error: null, latencyMs: 7 }],
    costParts: [{ component: "input", thousandths: 2_000n, femtoUsd: 1_500_000n, nanoUsd: 3n }],
  }),
);
await storage.usage.record(calls);

test(
  "calls are listed, shown and exported",
  async () => {
    const listed = await ada.run(["logs", "--from", "2026-01-01", "--to", "2026-01-31", "--quiet"]);
    expect(listed.out.trim().split("\n")).toEqual([String(calls[1]?.id), String(calls[0]?.id)]);
    const { data } = await ada.json<{ data: { id: string }[] }>(["logs", "--model", "small"]);
    expect(data.map(({ id }) => id)).toEqual([String(calls[1]?.id)]);
    const shown = await ada.run(["logs", "get", String(calls[0]?.id)]);
    expect(shown.out).toContain("2 x $0.0000000015 = $0.000000003");
    expect(shown.out).toContain("p1 d1: 200, 7 ms");
    expect(shown.out).toMatch(/Answered from +a provider\n/);
    const hit = newCall({ organizationId, model: "kept", cacheHit: true, at: Date.parse("2025-06-01T10:00:00Z") });
    await storage.usage.record([hit]);
    expect((await ada.run(["logs", "--model", "kept"])).out).toMatch(/\thit\n$/);
    expect((await ada.run(["logs", "get", hit.id])).out).toMatch(/Answered from +the cache of answers/);
    expect((await ada.run(["logs", "get", "nothing"])).code).toBe(5);
    expect((await ada.run(["logs", "--from", "soon"])).code).not.toBe(0);
    const lines = (await ada.run(["logs", "export", "--format", "jsonl", "--to", "2026-01-31"])).out.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([hit, ...calls.slice(0, 2)].map(({ id }) => id));
    expect((await ada.run(["logs", "export", "--from", "2026-01-01"])).out.split("\r\n")).toHaveLength(5);
  },
  SLOW_MS,
);

test(
  "usage is summed up, for other programs without bars",
  async () => {
    const flags = ["--from", "2026-01-01", "--to", "2026-02-28", "--bucket", "month", "--group-by", "model"];
    const { out, err, code } = await ada.run(["usage", ...flags]);
    expect(code).toBe(0);
    const rows = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.map(([time, model, requests]) => [time, model, requests]).toSorted()).toEqual([
      ["2026-01", "large", "1"],
      ["2026-01", "small", "1"],
      ["2026-02", "large", "1"],
    ]);
    expect(rows.find(([time]) => time === "2026-02")?.at(-1)).toBe("$0.003");
    expect(out).not.toContain("█");
    const table = (await ada.run(["usage", ...flags, "-o", "table"])).out;
    expect(table.split("\n").filter((line) => line.includes("█"))).toHaveLength(3);
    // One row has nothing to be compared with.
    const only = await ada.run(["usage", ...flags, "--from", "2026-02-01", "-o", "table"]);
    expect(only.out).toMatch(/^TIME +MODEL +REQUESTS +FAILED +TOKENS +COST\n2026-02 .*\$0\.003\n$/);
    expect(err).toContain("3 requests, 330 tokens, $0.006 in all.");
    expect((await ada.run(["usage", ...flags, "--quiet"])).out).toBe("0.006\n");
    const report = await ada.json<{ totals: { cost: number } }>(["usage", ...flags, "--tz", "Asia/Kolkata"]);
    expect(report.totals.cost).toBe(6_000_000);
    expect((await ada.run(["usage", "--bucket", "year"])).code).toBe(2);
  },
  SLOW_MS,
);

test(
  "following shows what is there and then what comes in",
  async () => {
    const before = newCall({ organizationId, model: "followed", at: Date.now() - 3000 });
    const first = newCall({ organizationId, model: "followed", at: Date.now() - 2000 });
    await storage.usage.record([before, first]);
    const child = ada.start(["logs", "--follow", "--model", "followed", "--page-size", "1"]);
    const reader = child.stdout.getReader();
    const decoder = new TextDecoder();
    let seen = "";
    const read = async (wanted: string) => {
      while (!seen.includes(wanted)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`ended before ${wanted}: ${seen}`);
        seen += decoder.decode(value, { stream: true });
      }
    };
    const second = newCall({ organizationId, model: "followed", at: Date.now() });
    await read(first.id);
    expect(seen).not.toContain(before.id);
    await storage.usage.record([second]);
    await read(second.id);
    expect(seen.split(first.id)).toHaveLength(2);
    child.kill("SIGINT");
    await child.exited;
  },
  SLOW_MS,
);
