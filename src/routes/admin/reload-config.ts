import Type from "typebox";
import { noteChange } from "../../accounts/change.ts";
import type { AccountStores } from "../../accounts/store.ts";
import { GatewayError } from "../../contract/errors.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";

export interface ReloadReport {
  readonly ok: boolean;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  /** Settings that changed in the file but are read only at start. */
  readonly needRestart: readonly string[];
  /** Those of the file that counts now. */
  readonly deployments: number;
}

interface ReloadDeps {
  readonly reload: () => ReloadReport;
  readonly stores: AccountStores;
  readonly clock: Clock;
}

const TARGET = { organizationId: null, targetType: "configuration", targetId: "file" };

export const reloadConfig = ({ reload, stores, clock }: ReloadDeps) =>
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
    async handle({ caller, connection }) {
      const { ok, faults, warnings, needRestart, deployments } = reload();
      if (!ok) {
        throw new GatewayError("invalid_request", `The configuration was not changed: ${faults.join("; ")}`);
      }
      const actor = { caller, address: connection.remoteAddress };
      await noteChange(stores, clock, actor, {
        action: "config.reload",
        ...TARGET,
        details: { deployments, needRestart },
      });
      return json({ deployments, warnings, needRestart });
    },
  });
