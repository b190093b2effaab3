import { chmodSync, closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { flushFolder } from "../lib/durable.ts";

/** Secrets that the program made for itself at its first start. */
export interface SecretFile {
  readonly secret: string;
  readonly masterKey: string;
}

export const SECRET_FILE = "secrets.json";

/** Reads `secrets.json` of the data folder, or makes it, readable by its owner alone. */
export function loadSecretFile(dataDir: string, make: () => SecretFile): SecretFile {
  const path = join(dataDir, SECRET_FILE);
  const existing = readExisting(path);
  if (existing) return existing;
  const made = make();
  writeNew(path, `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

/** Whole or not at all, and never over an existing file: losing the secret would make every stored key useless. */
function writeNew(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  linkSync(draft, path);
  unlinkSync(draft);
  flushFolder(dirname(path));
}

function readExisting(path: string): SecretFile | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw thrown;
  }
  chmodSync(path, 0o600);
  const value = parseOrNull(text);
  if (!isSecretFile(value))
    throw new Error(
      `${path} is damaged: it must hold "secret" and "masterKey". Put the right file back from a backup.`,
    );
  return value;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isSecretFile = (value: unknown): value is SecretFile =>
  typeof value === "object" &&
  value !== null &&
  "secret" in value &&
  "masterKey" in value &&
  typeof value.secret === "string" &&
  value.secret.length >= 16 &&
  typeof value.masterKey === "string" &&
  value.masterKey.startsWith("sk-") &&
  value.masterKey.length >= 16;
