import type { KeyCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import { SetupError } from "../../contract/setup-error.ts";
import { recordIn } from "../../lib/json.ts";
import { redact } from "../../lib/log.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { maskText, secretsOf } from "../health/mask-secrets.ts";
import { choiceHeaders } from "../pipeline/response-headers.ts";
import type { StreamFacts } from "../streaming/write-stream.ts";
import type { ResolvedTarget } from "./resolve-target.ts";

/** An error that happens after the choice also says which deployment it was, and never with what key. */
export function withTargetDetails(thrown: unknown, target: ResolvedTarget, caller: KeyCaller): unknown {
  if (!(thrown instanceof GatewayError)) return thrown;
  const told = thrown instanceof SetupError && !canMend(caller, target) ? thrown.forCallers() : thrown;
  return new GatewayError(told.kind, withoutKeys(told.message, target), {
    cause: told.cause,
    faults: told.faults,
    details: told.details && (recordIn(withoutKeys(JSON.stringify(told.details), target)) ?? undefined),
    headers: { ...choiceHeaders(target), ...told.headers },
    ...(told.param === null ? {} : { param: told.param }),
  });
}

/** What is missing is the operator's to set, and of whoever may send a key with the call. */
const canMend = ({ master }: KeyCaller, { deployment }: ResolvedTarget): boolean =>
  master || deployment.params.configurable_clientside_auth_params !== undefined;

/** An upstream may quote the key that it refuses; its words are the caller's to read, no secret of the operator's is. */
export function withoutKeys(text: string, { deployment, endpoint }: ResolvedTarget): string {
  const secrets = [...secretsOf(deployment), ...secretsOf(endpoint), ...addressSecrets(endpoint.apiBase)];
  return redact(maskText(text, secrets));
}

/** What stands in an address before the host, in its query, or in a part of its path that looks like a token. */
function addressSecrets(address: string | null): string[] {
  const url = address === null ? null : URL.parse(address);
  if (!url) return [];
  const parts = [url.username, url.password, ...url.searchParams.values(), ...url.pathname.split("/")];
  return parts.map((part) => decodeURIComponent(part)).filter((part) => part.length >= 12);
}

export const streamFacts = (deps: GatewayDeps, call: InferenceCall, target: ResolvedTarget): StreamFacts => ({
  callId: call.callId,
  log: deps.log,
  clean: (text) => withoutKeys(text, target),
  onClosing: (stop) => call.connection.onClosing?.(stop),
});
