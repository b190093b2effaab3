import { readFileSync } from "node:fs";
import { SetupError } from "../../contract/setup-error.ts";
import { isRecord, recordIn } from "../../lib/json.ts";
import type { Target } from "../dialect.ts";

/** The JSON of a Google key file: from the deployment or the environment, as JSON or as a path; null if there is none. */
export function findCredentials({ params, env }: Target): string | null {
  const given = params.vertex_credentials ?? env("VERTEXAI_CREDENTIALS") ?? env("GOOGLE_APPLICATION_CREDENTIALS");
  if (isRecord(given)) return JSON.stringify(given);
  if (given === undefined || given === null || given === "") return null;
  if (typeof given !== "string") throw unusable("must be the JSON of a Google key file, or the path of one");
  return given.trimStart().startsWith("{") ? given : readKeyFile(given.trim());
}

const keyFiles = new Map<string, { readonly text: string; readonly readAtMs: number }>();
/** A key file that was replaced is read again after this time. */
const KEY_FILE_FRESH_MS = 60_000;

function readKeyFile(path: string): string {
  const known = keyFiles.get(path);
  if (known && Date.now() - known.readAtMs < KEY_FILE_FRESH_MS) return known.text;
  const text = readText(path);
  if (recordIn(text) === null) throw unusable("is the path of a file that does not hold JSON");
  keyFiles.set(path, { text, readAtMs: Date.now() });
  return text;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw unusable("is neither JSON nor the path of a file that Turnpike can read");
  }
}

const unusable = (problem: string): SetupError =>
  new SetupError("upstream_authentication", `\`vertex_credentials\` ${problem}.`);

/** The project that a service account belongs to. */
export function projectOf(credentials: string): string | null {
  const parsed = recordIn(credentials);
  const project = parsed?.project_id ?? parsed?.quota_project_id;
  return typeof project === "string" && project !== "" ? project : null;
}
