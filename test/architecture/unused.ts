const VALUE = /^export (?:async )?(?:abstract )?(?:function\*?|const|class) ([A-Za-z_$][\w$]*)/gm;
/** The entry of a package: its users are outside this repository. */
const PACKAGE_ENTRY = "sdk/typescript/src/index.ts";
const NAME = /[A-Za-z_$][\w$]*/g;

/**
 * Finds the exported values of the files (path -> text) that no other file names, as `path: name`. Types are left out:
 * the type of a parameter or a result belongs to the function.
 */
export function findUnused(files: ReadonlyMap<string, string>): string[] {
  const users = new Map<string, number>();
  for (const text of files.values()) {
    for (const name of new Set(text.match(NAME))) users.set(name, (users.get(name) ?? 0) + 1);
  }
  const unused: string[] = [];
  for (const [path, text] of files) {
    if (path === PACKAGE_ENTRY) continue;
    for (const [, name = ""] of text.matchAll(VALUE)) if (users.get(name) === 1) unused.push(`${path}: ${name}`);
  }
  return unused;
}
