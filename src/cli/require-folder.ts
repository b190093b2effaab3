import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { usageError } from "./cli-error.ts";

/** Looked at before anything is asked for: what cannot be written may be paid for, too. */
export function requireFolder(out: string): void {
  if (isFolder(out)) throw usageError(`${out} is a folder.`, "Name a file in it.");
  try {
    accessSync(dirname(out), constants.W_OK);
    if (isFolder(dirname(out))) return;
  } catch {}
  throw usageError(`${out} cannot be written.`, "Is there such a folder, and may you write there?");
}

/** Below something that is no folder nothing is one. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
