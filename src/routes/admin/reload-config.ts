import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export interface ReloadReport {
  readonly ok: boolean;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  /** Settings that changed in the file but are read only at start. */
  readonly needRestart: readonly string[];
  /** Those of the file that counts now. */
  readonly deployments: number;
}

export const reloadConfig = (reload: () => ReloadReport) =>
  route({
    method: "POST",
    paths: ["/api/admin/config/reload"],
    tag: "Administration",
    summary: "Read the configuration file again",
    description: "Running calls are not touched. A file with faults changes nothing.",
    auth: "admin",
    success: Type.Object({
      deployments: Type.Integer({ description: "Those that stand in the file." }),
      warnings: Type.Array(Type.String()),
      needRestart: Type.Array(Type.String()),
    }),
    errors: ["invalid_request"],
    handle() {
      const { ok, faults, warnings, needRestart, deployments } = reload();
      if (!ok) {
        throw new GatewayError("invalid_request", `The configuration was not changed: ${faults.join("; ")}`);
      }
      return json({ deployments, warnings, needRestart });
    },
  });
