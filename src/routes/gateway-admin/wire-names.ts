import { GatewayError } from "../../contract/errors.ts";
import type { Route } from "../../http/route.ts";
import { isRecord } from "../../lib/json.ts";

/** What the services call a field, and what it is called on this face. */
const WIRE_NAMES: Readonly<Record<string, string>> = {
  budget: "max_budget",
  softBudget: "soft_budget",
  budgetWindow: "budget_duration",
  rpmLimit: "rpm_limit",
  tpmLimit: "tpm_limit",
  parallelLimit: "max_parallel_requests",
  modelLimits: "model_rpm_limit",
  furtherBudgets: "budget_limits",
  budgetId: "budget_id",
  expiresAt: "duration",
  allowedIps: "allowed_ips",
  autoRotate: "auto_rotate",
  rotationInterval: "rotation_interval",
  rotationGraceSeconds: "rotation_grace_period",
  email: "user_email",
  name: "alias",
  status: "blocked",
};

/** A fault is told in the names that the caller sent. */
export const inWireNames = (route: Route): Route => ({
  ...route,
  async handle(context) {
    try {
      return await route.handle(context);
    } catch (thrown) {
      throw thrown instanceof GatewayError && !isAsked(thrown, context.query) ? renamed(thrown) : thrown;
    }
  },
});

/** A query has the names of this face already, `status` among them. */
const isAsked = ({ param }: GatewayError, query: unknown): boolean =>
  param !== null && isRecord(query) && Object.hasOwn(query, param);

function renamed(error: GatewayError): GatewayError {
  const name = WIRE_NAMES[error.param ?? ""];
  if (error.param === null || name === undefined) return error;
  const [before, after] = [`${error.param}: `, `${name}: `];
  const message = error.message.startsWith(before) ? after + error.message.slice(before.length) : error.message;
  const told = message.replace(/`(budget|softBudget|autoRotate)`/g, (_, field: string) => `\`${WIRE_NAMES[field]}\``);
  const { cause, faults, headers } = error;
  return new GatewayError(error.kind, told, { param: name, cause, faults, headers });
}
