// What nobody uses is not kept: each value that a file exports is named in another one.

const VALUE = /^export (?:async )?(?:abstract )?(?:function\*?|const|class) ([A-Za-z_$][\w$]*)/gm;
/** Users of the package import what it exports. */
const FOR_OTHERS = "sdk/typescript/src/index.ts";
const NAME = /[A-Za-z_$][\w$]*/g;

/**
 * Exported values of the files (path -> text) that no other file names, as `path: name`. Types are left out: that of a
 * parameter or a result is part of what is exported with it.
 */
export function findUnused(files: ReadonlyMap<string, string>): string[] {
  const users = new Map<string, number>();
  for (const text of files.values()) {
    for (const name of new Set(text.match(NAME))) users.set(name, (users.get(name) ?? 0) + 1);
  }
  const unused: string[] = [];
  for (const [path, text] of files) {
    if (path === FOR_OTHERS) continue;
    for (const [, name = ""] of text.matchAll(VALUE)) if (users.get(name) === 1) unused.push(`${path}: ${name}`);
  }
  return unused;
}
