import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiPath } from "../../src/http/path.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { loadText } from "../config/load-text.ts";

const page = readFileSync(join(import.meta.dir, "../../docs/from-litellm.md"), "utf8");
const app = await startApp();
afterAll(() => app.close());

function rowsUnder(heading: string): string[] {
  const [, table = ""] = page.split(`| ${heading} |`);
  return table.split("\n\n")[0]?.split("\n").slice(2) ?? [];
}

/** The operations that the first column of a row names. */
const operationsOf = (row: string): string[] =>
  Array.from((row.split(" | ")[0] ?? "").matchAll(/`((?:GET|POST) \/[^`]+)`/g), ([, found]) => found ?? "");

const operationsUnder = (heading: string): string[] => rowsUnder(heading).flatMap(operationsOf);

const served = new Set(
  app.service.routes.flatMap(({ method, paths }) => paths.map((path) => `${method} ${openApiPath(path)}`)),
);

test("docs/from-litellm.md calls served what is served", () => {
  const told = operationsUnder("Served under the same path");
  expect(told.length).toBeGreaterThan(30);
  expect(told.filter((operation) => !served.has(operation))).toEqual([]);
});

test("it names every inference operation", () => {
  const routes = app.service.routes.filter(({ tag, paths }) => tag === "Inference" && !paths[0]?.startsWith("/api"));
  const told = new Set(operationsUnder("Served under the same path"));
  const named = routes.filter(({ paths }) => paths[0]?.startsWith("/v1/"));
  expect(named.length).toBeGreaterThan(5);
  expect(named.map(({ method, paths }) => `${method} ${paths[0]}`).filter((operation) => !told.has(operation))).toEqual(
    [],
  );
});

test("and not served what is 404", async () => {
  const told = operationsUnder("Not served (404)");
  expect(told.length).toBeGreaterThan(10);
  for (const operation of told) {
    const [method = "", path = ""] = operation.split(" ");
    const answer = await app.call(path, { method, key: MASTER_KEY, ...(method === "GET" ? {} : { json: {} }) });
    expect([operation, answer.status]).toEqual([operation, 404]);
    expect(await answer.text()).toContain(`There is no ${path} here`);
  }
});

test("what does the same here is told with the 404", async () => {
  const named = rowsUnder("Not served (404)").filter((row) => /\| \S.* \|$/.test(row.slice(row.indexOf(" | ") + 1)));
  const operations = named.flatMap(operationsOf);
  expect(operations).toContain("POST /v1/realtime/calls");
  expect(operations).toContain("POST /invitation/new");
  expect(operations).toContain("GET /v2/model/info");
  for (const operation of operations) {
    const [method = "", path = ""] = operation.split(" ");
    const answer = await app.call(path, { method, key: MASTER_KEY, ...(method === "GET" ? {} : { json: {} }) });
    expect(await answer.text()).toContain(`There is no ${path} here: `);
  }
  const bare = await app.call("/realtime/sessions", { method: "POST", key: MASTER_KEY, json: {} });
  expect(await bare.text()).toContain(
    "There is no /realtime/sessions here: POST /v1/realtime/client_secrets makes a secret for a session.",
  );
  const router = await app.call("/api/v1/guardrails", { key: MASTER_KEY });
  expect(router.status).toBe(404);
  expect(await router.text()).toContain(
    "under /api/v1 are calls of models and some operations of OpenRouter's, all else is under /v1 and /api.",
  );
  const other = await app.call("/v1/nothing", { method: "POST", key: MASTER_KEY, json: {} });
  expect(await other.text()).toContain("There is no /v1/nothing here. The operations are listed at /docs.");
});

test("its file is good as it stands, and the master key that tutorials have is refused", () => {
  const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const loaded = loadText(yaml);
  expect(loaded).toMatchObject({ ok: true, warnings: [] });
  const short = loadText(yaml.replace(/master_key: \S+/, "master_key: sk-1234"));
  expect(short.ok ? [] : short.faults.map(({ path }) => path)).toEqual(["general_settings.master_key"]);
});

test("the file for who comes from OpenRouter is good, too", () => {
  const [, yaml = ""] = /## From OpenRouter[\s\S]*?```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const loaded = loadText(yaml, { OPENROUTER_API_KEY: "sk-or" });
  expect(loaded).toMatchObject({ ok: true, warnings: [], config: { deployments: [{ group: "*" }] } });
});

test("and what its table says of OpenRouter's operations is so", () => {
  const rows = rowsUnder("OpenRouter | Here").map((row) => row.split(" | ")[0] ?? "");
  const named = rows.flatMap((cell) => [...cell.matchAll(/`(?:(GET|POST) )?(\/api\/v1\/[^`?]*)/g)]);
  const told = named.map(([, method, path = ""]) => ({ method, path }));
  const isServed = ({ method, path }: (typeof told)[number]): boolean =>
    [...served].some((one) => one.endsWith(` ${path}`) && one.startsWith(method ?? ""));
  expect(told.filter(isServed).length).toBeGreaterThan(7);
  expect(told.filter((one) => !isServed(one)).map(({ path }) => path)).toEqual([
    "/api/v1/guardrails",
    "/api/v1/endpoints/zdr",
  ]);
});
