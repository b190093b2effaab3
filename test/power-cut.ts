import { spyOn } from "bun:test";
import * as fs from "node:fs";
import { basename, dirname } from "node:path";

/** Watches what is flushed from now on, to tell what would be left after a power cut: names that were in a folder when it was flushed. */
export function watchFlushes() {
  const kept = new Map<string, ReadonlySet<string>>();
  const flush = fs.fsyncSync;
  const spy = spyOn(fs, "fsyncSync").mockImplementation((handle) => {
    flush(handle);
    if (!fs.fstatSync(handle).isDirectory()) return;
    const folder = fs.readlinkSync(`/proc/self/fd/${handle}`);
    kept.set(folder, new Set(fs.readdirSync(folder)));
  });
  const isKept = (path: string, root: string): boolean =>
    path === root || (kept.get(dirname(path))?.has(basename(path)) === true && isKept(dirname(path), root));
  return {
    /** What lies below the root by now and would not be found there again. */
    lost: (root: string): readonly string[] =>
      fs
        .readdirSync(root, { recursive: true, encoding: "utf8" })
        .filter((name) => !isKept(`${root}/${name}`, root))
        .sort(),
    end: () => spy.mockRestore(),
  };
}
