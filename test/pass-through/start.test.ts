import { afterAll, describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config/load.ts";
import { restartOnly } from "../../src/start/restart-only.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { Target } from "./target.ts";

const target = new Target();
afterAll(() => target.stop());
const fileOf = (...entries: string[]): string =>
  `general_settings:\n  pass_through_endpoints:\n${entries.map((entry) => `    - { ${entry} }\n`).join("")}`;
const configOf = (text: string) => {
  const loaded = loadConfig({ file: "a.yaml", env: {}, readFile: () => text });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.config;
};

describe("a path that is served here already", () => {
  test("stops the start, with what has it and what to do", async () => {
    const taken: readonly (readonly [entry: string, words: string])[] = [
      ["path: /v1/rerank", "/v1/rerank: POST /v1/rerank is served here already"],
      ["path: /v1/models/mine", "/v1/models/mine: POST /v1/models/{model...}:generateContent is served here already"],
      ["path: /v1/threads/x/runs", "/v1/threads/x/runs: "],
      ["path: /v1, include_subpath: true", "/v1: POST /v1/chat/completions is served here already"],
      ["path: /api/admin, include_subpath: true", "/api/admin: "],
      ["path: /openai/deployments/mine, include_subpath: true", "/openai/deployments/mine: "],
      ["path: /ui/mine", "/ui/mine: GET /ui/"],
    ];
    const refused = await startApp(fileOf(...taken.map(([entry]) => `${entry}, target: "${target.url}"`))).then(
      () => "it started",
      (thrown: Error) => `${thrown.name}: ${thrown.message}`,
    );
    expect(refused).toStartWith("StartError: These paths of general_settings.pass_through_endpoints");
    for (const [, words] of taken) expect(refused).toContain(`  ${words}`);
    expect(refused).toContain("Give each another path");
  });

  test("is told apart from those beside it", async () => {
    const entries = ["/v1/ocr", "/v1", "/anthropic/v2", "/uix", "/pass/v1/rerank"];
    const app = await startApp(fileOf(...entries.map((path) => `path: ${path}, target: "${target.url}${path}"`)));
    for (const path of entries) {
      expect((await app.call(path, { key: MASTER_KEY, json: {} })).status).toBe(200);
      expect(target.last.address).toBe(path);
    }
    expect((await app.call("/v1/models", { key: MASTER_KEY })).status).toBe(200);
    await app.close();
  });
});

test("where a path leads changes with a reload, which paths there are with a restart", async () => {
  const before = fileOf(`path: /own, target: "${target.url}/old"`);
  const after = fileOf(`path: /own, target: "${target.url}/new", cost_per_request: 1`);
  const app = await startApp(before);
  await app.call("/own", { key: MASTER_KEY });
  expect(target.last.address).toBe("/old");
  app.service.apply(configOf(after));
  await app.call("/own", { key: MASTER_KEY });
  expect(target.last.address).toBe("/new");
  expect(restartOnly(configOf(before), configOf(after))).toEqual([]);
  const more = fileOf(`path: /own, target: "${target.url}/new"`, `path: /two, target: "${target.url}"`);
  expect(restartOnly(configOf(before), configOf(more))).toEqual(["general_settings.pass_through_endpoints"]);
  app.service.apply(configOf(""));
  expect((await app.call("/own", { key: MASTER_KEY })).status).toBe(404);
  await app.close();
});
