import type { Config } from "../../src/config/config.ts";
import { type Fault, type LoadResult, loadConfig } from "../../src/config/load.ts";
import { renderFaults } from "../../src/config/render-faults.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Loads files that exist only here; `a.yaml` is the one that is asked for. */
export function loadFiles(files: Readonly<Record<string, string>>, env: Env = {}): LoadResult {
  return loadConfig({ file: "a.yaml", env, readFile: readFrom(files) });
}

export function loadText(text: string, env: Env = {}): LoadResult {
  return loadFiles({ "a.yaml": text }, env);
}

export function readFrom(files: Readonly<Record<string, string>>): (path: string) => string {
  return (path) => {
    const text = Object.hasOwn(files, path) ? files[path] : undefined;
    if (text === undefined) throw Object.assign(new Error("missing"), { code: "ENOENT" });
    return text;
  };
}

/** The configuration of a text without a fault; a fault fails the test with its rendering. */
export function configOf(text: string, env: Env = {}): Config {
  const result = loadText(text, env);
  if (!result.ok) throw new Error(renderFaults(result.faults, () => text));
  return result.config;
}

export function faultsOf(result: LoadResult): readonly Fault[] {
  return result.ok ? [] : result.faults;
}

/** `line:column path` of a fault, as the tables of the tests have it. */
export function spot(fault: Fault): string {
  return `${fault.line}:${fault.column} ${fault.path}`;
}
