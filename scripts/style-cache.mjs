import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./ensure-installed.mjs";

const cachePath = (folder) => join(folder, "node_modules", ".cache", "turnpike", "style.json");
const styled = /\.([cm]?[jt]sx?|jsonc?|css|html)$/;

/**
 * The files to check: those whose content has changed since they last passed, or `["."]` when that is unknown.
 * `save(output)` records the present contents as passed, except files that Biome's output names.
 */
export function changedForStyle(folder = root) {
  const current = hashes(folder);
  if (current === null) return { paths: ["."], save: () => undefined };
  const passed = new Map(Object.entries(readPassed(folder)));
  const changed = Object.keys(current).filter((path) => passed.get(path) !== current[path]);
  const settingsChanged = changed.some((path) => path === "biome.json" || path === "package-lock.json");
  return {
    paths: settingsChanged ? ["."] : changed,
    save(output) {
      const passing = Object.entries(current).filter(([path]) => !output.includes(path));
      mkdirSync(dirname(cachePath(folder)), { recursive: true });
      writeFileSync(cachePath(folder), JSON.stringify(Object.fromEntries(passing)));
    },
  };
}

/** Null outside a Git repository: what is ignored is then unknown. */
function hashes(folder) {
  const list = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: folder });
  if (list.status !== 0) return null;
  const paths = list.stdout.toString().split("\0");
  return Object.fromEntries(
    paths
      .filter((path) => styled.test(path) && existsSync(join(folder, path)))
      .map((path) => [
        path,
        createHash("sha256")
          .update(readFileSync(join(folder, path)))
          .digest("base64"),
      ]),
  );
}

function readPassed(folder) {
  try {
    return JSON.parse(readFileSync(cachePath(folder), "utf8"));
  } catch {
    return {};
  }
}
