import { SetupError } from "../../contract/setup-error.ts";
import { ownField } from "../../lib/json.ts";
import type { Signing, Target } from "../dialect.ts";
import { TITLE } from "./title.ts";

/** How a request shows who sends it: by a bearer key, or by a signature that the transport adds. */
type Credentials =
  | { readonly kind: "bearer"; readonly key: string }
  | { readonly kind: "aws"; readonly keys: AccessKeys };

type AccessKeys = Pick<Extract<Signing, { kind: "aws" }>, "accessKeyId" | "secretAccessKey" | "sessionToken">;

/** What the deployment says stands before the environment, and a bearer key before access keys, as in AWS's own clients. */
export function findCredentials(target: Target): Credentials {
  if (target.apiKey !== null) return { kind: "bearer", key: target.apiKey };
  refuseAssumedRoles(target);
  const own = accessKeys((name) => textParam(target, name.toLowerCase()), "the deployment");
  if (own !== null) return { kind: "aws", keys: own };
  const bearer = target.env("AWS_BEARER_TOKEN_BEDROCK");
  if (bearer) return { kind: "bearer", key: bearer };
  const usual = accessKeys(target.env, "the environment");
  if (usual !== null) return { kind: "aws", keys: usual };
  throw unauthorized(
    "needs a key: set api_key, or aws_access_key_id and aws_secret_access_key, in the deployment, or AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.",
  );
}

/** All three from one place: a session token belongs to its key. */
function accessKeys(read: (name: string) => string | undefined, place: string): AccessKeys | null {
  const accessKeyId = read("AWS_ACCESS_KEY_ID");
  const secretAccessKey = read("AWS_SECRET_ACCESS_KEY");
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, sessionToken: read("AWS_SESSION_TOKEN") || null };
  }
  if (!accessKeyId && !secretAccessKey) return null;
  throw unauthorized(`needs both halves of the access key; ${place} has only one.`);
}

/** Signing with the keys at hand instead would act as somebody else than the operator meant. */
function refuseAssumedRoles(target: Target): void {
  for (const name of ["aws_role_name", "aws_profile_name", "aws_web_identity_token"]) {
    if (textParam(target, name) !== undefined) {
      throw unauthorized(`deployments cannot use ${name} here; set access keys or api_key.`);
    }
  }
}

export function textParam(target: Target, name: string): string | undefined {
  const value = ownField(target.params, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

const unauthorized = (message: string): SetupError => new SetupError("upstream_authentication", `${TITLE} ${message}`);
