import { dirname, join, normalize } from "node:path";

export interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
  /** The module is loaded by a call of `import()` or `require()`. */
  readonly onDemand: boolean;
}

export type Imports = ReadonlyMap<string, readonly Import[]>;

// Type-only imports count, so Bun's own scanner cannot be used: it drops them.
// The formatter puts every statement at the start of a line, so text in comments and strings does not match.
const STATEMENT =
  /^[ \t]*(?:import\s*|(?:import|export)\b(\s+type\b(?!\s+from\b|\s*,))?[\w$\s{},*]*?\bfrom\s*)["'](\.[^"'\n]*)["']/gm;
const CALL = /\b(?:import|require)\(\s*["'](\.[^"'\n]*)["']/g;

/** Reads the relative imports of all files (path -> text). */
export function readImports(files: ReadonlyMap<string, string>): Imports {
  return new Map([...files].map(([path, text]) => [path, parseImports(path, text)]));
}

/** Finds the file that an import names: `./a`, `./a.ts` and `./a/index.ts` are the same file. */
export function resolveImport(target: string, files: { has(path: string): boolean }): string | null {
  return [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`].find((path) => files.has(path)) ?? null;
}

function parseImports(path: string, text: string): Import[] {
  const resolve = (specifier: string) => normalize(join(dirname(path), specifier));
  const statements = [...text.matchAll(STATEMENT)].map(([, type, specifier = ""]) => ({
    target: resolve(specifier),
    typeOnly: type !== undefined,
    onDemand: false,
  }));
  const calls = [...text.matchAll(CALL)].map(([, specifier = ""]) => ({
    target: resolve(specifier),
    typeOnly: false,
    onDemand: true,
  }));
  return [...statements, ...calls];
}
