import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folders that the rules cover, with everything below them. */
const FOLDERS = ["bench", "bin", "deploy", "docs", "examples", "scripts", "sdk", "src", "test", "web/src"];

/** The folders of which only the direct files are covered. */
const FLAT_FOLDERS = [".", "web"];

/** Recorded provider responses, packages and build output are not written by hand. */
const SKIPPED = /^(?:node_modules|fixtures|dist.*|build|__pycache__|.*\.egg-info|pictures)$/;

const READ = /\.(?:tsx?|mjs|js|py|md|ya?ml|css|conf|service)$|(?:^|\/)Dockerfile$/;

/** These areas contain one level of areas: `src/gateway`, `test/gateway`, `sdk/python`. */
const NESTED_AREAS = new Set(["src", "test", "sdk"]);

/** Long lists of data, and the list of banned words, which must name them. */
const EXEMPT = new Set(["src/accounts/common-words.ts", "test/architecture/words.ts", "LICENSE"]);

export interface Repository {
  /** Every file that the rules cover. */
  readonly paths: readonly string[];
  /** The text of those files that contain code or prose. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads each file of the repository once. */
export function readRepository(root: string): Repository {
  const paths = [
    ...FLAT_FOLDERS.flatMap((folder) => listFiles(root, folder, { recursive: false })),
    ...FOLDERS.flatMap((folder) => listFiles(root, folder, { recursive: true })),
  ];
  const read = paths.filter((path) => READ.test(path) && !EXEMPT.has(path));
  return { paths, texts: new Map(read.map((path) => [path, readFileSync(join(root, path), "utf8")])) };
}

function listFiles(root: string, folder: string, { recursive }: { recursive: boolean }): string[] {
  if (!existsSync(join(root, folder))) return [];
  const prefix = folder === "." ? "" : `${folder}/`;
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith(".") || SKIPPED.test(entry.name)) return [];
    if (entry.isFile()) return [`${prefix}${entry.name}`];
    return recursive && entry.isDirectory() ? listFiles(root, `${prefix}${entry.name}`, { recursive }) : [];
  });
}

/** The area whose allowance covers a file: `src/gateway`, `web/src`, `bench`, or `.` for the root folder. */
export function areaOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  const [top = "."] = folders;
  if (path.startsWith("web/src/")) return "web/src";
  return NESTED_AREAS.has(top) ? folders.slice(0, 2).join("/") : top;
}

/** Tests, and what only tests use. */
export function isTest(path: string): boolean {
  return path.startsWith("test/") || /\.test\.\w+$/.test(path) || /^sdk\/(?:\w+\/)?conformance\//.test(path);
}
