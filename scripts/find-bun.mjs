import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const archNames = { x64: "x64", arm64: "aarch64" };
const platformNames = { win32: "windows" };

// The placeholder that stands in for Bun until an install script has run is a few hundred bytes of text.
const binaryBytesMin = 1_000_000;

/**
 * The path of Bun's binary below `root`, or null.
 *
 * Without install scripts it lies in the platform package; Bun's own install script moves it into `node_modules/bun`.
 */
export function findBun(root, { platform = process.platform, arch = process.arch } = {}) {
  return bunCandidates(root, platform, arch).find(isBinary) ?? null;
}

function bunCandidates(root, platform, arch) {
  const prefix = `bun-${platformNames[platform] ?? platform}-${archNames[arch] ?? arch}`;
  const scope = join(root, "node_modules", "@oven");
  const packages = list(scope).filter((name) => name === prefix || name.startsWith(`${prefix}-`));
  const file = platform === "win32" ? "bun.exe" : "bun";
  return [
    ...packages.sort().map((name) => join(scope, name, "bin", file)),
    join(root, "node_modules", "bun", "bin", "bun.exe"),
  ];
}

function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isBinary(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size >= binaryBytesMin;
}
