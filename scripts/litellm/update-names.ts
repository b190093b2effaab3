// `npm run litellm:names`: writes src/config/keys/litellm-names.json, the names of all settings of the newest LiteLLM
// on PyPI. `config check` warns of those that Turnpike does not support; other unknown names are errors.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TARGET = join(import.meta.dir, "../../src/config/keys/litellm-names.json");

/** The sources of LiteLLM that define its settings. */
export interface LiteLlmSources {
  /** `litellm/proxy/_types.py`, with a class that lists `general_settings`. */
  readonly proxyTypes: string;
  /** All of `litellm/proxy`, which also reads settings that the class does not list. */
  readonly proxy: string;
  /** `litellm/__init__.py`, whose variables are `litellm_settings`. */
  readonly module: string;
  /** `litellm/types/router.py`, with a class that lists `router_settings`. */
  readonly routerTypes: string;
}

export function namesIn({ proxyTypes, proxy, module, routerTypes }: LiteLlmSources) {
  const general = between(proxyTypes, /^class ConfigGeneralSettings\b.*$/m, /^class /m);
  const router = between(routerTypes, /^class UpdateRouterConfig\b.*$/m, /^\S/m);
  return {
    general_settings: [
      ...new Set([
        ...matches(general, /^ {4}([a-z]\w*):/gm),
        ...matches(proxy, /general_settings(?:\.get\(|\[)\s*"([a-z]\w*)"/g),
      ]),
    ].sort(),
    // Besides settings the module has lists of models, and keys of providers.
    litellm_settings: matches(module, /^([a-z]\w*)(?:: | = )/gm).filter((name) => !/_(models|key)$/.test(name)),
    router_settings: matches(router, /^ {4}([a-z]\w*):/gm),
  };
}

function between(text: string, start: RegExp, end: RegExp): string {
  const found = start.exec(text);
  if (found === null) throw new Error(`LiteLLM's sources have changed: nothing matches ${start}`);
  const rest = text.slice(found.index + found[0].length);
  return rest.slice(0, end.exec(rest)?.index);
}

const matches = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))].sort();

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`);
}

function update(): void {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-litellm-"));
  try {
    run("python3", ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "litellm"], folder);
    const wheel = readdirSync(folder).find((name) => name.endsWith(".whl")) ?? "";
    run("python3", ["-m", "zipfile", "-e", wheel, "sources"], folder);
    const read = (path: string): string => readFileSync(join(folder, "sources/litellm", path), "utf8");
    const pythonFiles = (path: string): string[] =>
      readdirSync(join(folder, "sources/litellm", path), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".py"))
        .map((name) => `${path}/${name}`);
    const names = namesIn({
      proxyTypes: read("proxy/_types.py"),
      proxy: pythonFiles("proxy").map(read).join("\n"),
      module: read("__init__.py"),
      routerTypes: read("types/router.py"),
    });
    const version = wheel.split("-")[1] ?? "";
    writeFileSync(TARGET, `${JSON.stringify({ version, ...names }, null, 2)}\n`);
    console.log(`Wrote the names of LiteLLM ${version}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) update();
