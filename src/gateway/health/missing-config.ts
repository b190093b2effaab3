import { modeOfModel } from "../../catalog/model-facts.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { SetupError } from "../../contract/setup-error.ts";
import type { Target } from "../../providers/dialect.ts";
import { encodeProbe } from "../../providers/probe.ts";

/**
 * What the operator has to set before a deployment can be called, in its provider's words; null where a call would be sent,
 * or fail for another reason. Says nothing of keys that callers bring along.
 */
export function missingConfig(deployment: Deployment, env: Target["env"]): string | null {
  if (deployment.provider === "*" || deployment.params.configurable_clientside_auth_params !== undefined) return null;
  try {
    encodeProbe({ ...deployment, env }, modeOfModel(deployment));
    return null;
  } catch (thrown) {
    return thrown instanceof SetupError ? thrown.message : null;
  }
}
