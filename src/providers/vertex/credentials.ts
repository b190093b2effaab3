import { SetupError } from "../../contract/setup-error.ts";
import { isRecord, recordIn } from "../../lib/json.ts";
import type { Target } from "../dialect.ts";

/** The key file's JSON text: from the deployment, as text or written out, or from the environment; null when there is none. */
export function findCredentials(target: Target): string | null {
  const given = target.params.vertex_credentials ?? target.env("VERTEXAI_CREDENTIALS");
  if (isRecord(given)) return JSON.stringify(given);
  if (given === undefined || given === null || given === "") return fromApplication(target);
  if (typeof given === "string" && given.trimStart().startsWith("{")) return given;
  throw new SetupError(
    "upstream_authentication",
    "vertex_credentials must hold the JSON of a Google key file, not a path or a token.",
  );
}

/** Google's own variable names a file. It counts where the operator has put the file's text in its place. */
function fromApplication(target: Target): string | null {
  const text = target.env("GOOGLE_APPLICATION_CREDENTIALS");
  return text?.trimStart().startsWith("{") ? text : null;
}

/** The project that a service account belongs to. */
export function projectOf(credentials: string): string | null {
  const parsed = recordIn(credentials);
  const project = parsed?.project_id ?? parsed?.quota_project_id;
  return typeof project === "string" && project !== "" ? project : null;
}
