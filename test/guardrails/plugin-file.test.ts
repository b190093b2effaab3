import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load.ts";
import { MASTER_KEY, startApp } from "../app.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-plugin-"));
const module = join(folder, "own.ts");
const write = (word: string): void =>
  writeFileSync(
    module,
    `export default { inspect: ({ texts }) => texts.flatMap((text, index) => text.includes("${word}") ? [{ category: "own", index }] : []) };`,
  );
const yaml = JSON.stringify({
  model_list: [{ model_name: "own", litellm_params: { model: "echo/chat" }, model_info: { free: true } }],
  guardrails: [{ guardrail_name: "own", litellm_params: { guardrail: "plugin", module, default_on: true } }],
});
write("falcon");
const app = await startApp(yaml);
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const statusOf = async (content: string): Promise<number> => {
  const json = { model: "own", messages: [{ role: "user", content }] };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  await response.text();
  return response.status;
};

test("a reload takes over a plugin whose file was changed", async () => {
  expect([await statusOf("a falcon"), await statusOf("a heron")]).toEqual([400, 200]);
  write("heron");
  const loaded = loadConfig({ file: "a.yaml", env: {}, readFile: () => yaml });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  app.service.apply(loaded.config);
  expect([await statusOf("a falcon"), await statusOf("a heron")]).toEqual([200, 400]);
});

test("one that cannot be loaded is told in the log before any call, with the reason", async () => {
  const broken = join(folder, "broken.ts");
  writeFileSync(broken, 'import "a-package-that-nobody-has"; export default { inspect: () => [] };');
  const other = await startApp(yaml.replace(JSON.stringify(module), JSON.stringify(broken)));
  const line = (): string | undefined => other.logged.find((one) => one.includes("a guardrail cannot be asked"));
  while (!line()) await Bun.sleep(5);
  expect(line()).toContain("a-package-that-nobody-has");
  await other.close();
});
