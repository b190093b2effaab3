import { expect, test } from "bun:test";
import { faultsOf, loadFiles, spot } from "./load-text.ts";

const model = (name: string) => `  - {model_name: ${name}, litellm_params: {model: echo/chat}}\n`;

test("lists of included files are appended, maps merged, and the including file wins", () => {
  const result = loadFiles({
    "a.yaml": `include: [sub/b.yaml, c.yaml]\nmodel_list:\n${model("a")}general_settings: {port: 1}\n`,
    "sub/b.yaml": `include: deep.yaml\nmodel_list:\n${model("b")}general_settings: {port: 2, host: b}\n`,
    "sub/deep.yaml": `model_list:\n${model("deep")}`,
    "c.yaml": `model_list:\n${model("c")}general_settings: {host: c, data_dir: /c}\n`,
  });
  expect(faultsOf(result)).toEqual([]);
  if (!result.ok) return;
  expect(result.files).toEqual(["a.yaml", "sub/b.yaml", "sub/deep.yaml", "c.yaml"]);
  expect(result.config.deployments.map(({ group }) => group)).toEqual(["a", "b", "deep", "c"]);
  expect(result.config.server).toMatchObject({ port: 1, host: "b" });
  expect(result.config.dataDir).toBe("/c");
});

test("a fault points into the included file", () => {
  const faults = faultsOf(loadFiles({ "a.yaml": "include: [b.yaml]", "b.yaml": "general_settings:\n  prot: 3\n" }));
  expect(faults.map((fault) => [fault.file, spot(fault)])).toEqual([["b.yaml", "2:3 general_settings.prot"]]);
});

test.each([
  ["a missing file", { "a.yaml": "include:\n  - gone.yaml" }, "a.yaml", "2:5 include[0]", "no such file"],
  [
    "a circle",
    { "a.yaml": "include: [b.yaml]", "b.yaml": "include: [./a.yaml]" },
    "b.yaml",
    "1:11 include[0]",
    "circle",
  ],
  ["itself", { "a.yaml": "include: a.yaml" }, "a.yaml", "1:10 include[0]", "circle"],
  ["a file twice", { "a.yaml": "include: [b.yaml, b.yaml]", "b.yaml": "" }, "a.yaml", "1:19 include[1]", "twice"],
  [
    "a list over a map",
    { "a.yaml": "include: b.yaml\nrouter_settings: {}", "b.yaml": "router_settings: []" },
    "b.yaml",
    "1:18 router_settings",
    "a list here",
  ],
  ["no text", { "a.yaml": "include: [{}]" }, "a.yaml", "1:11 include[0]", "expected text"],
] as const)("including %s is a fault", (_, files, file, where, message) => {
  const faults = faultsOf(loadFiles(files));
  expect(faults.map((fault) => [fault.file, spot(fault)])).toEqual([[file, where]]);
  expect(faults[0]?.message).toContain(message);
});
