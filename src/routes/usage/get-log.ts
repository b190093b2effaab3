import Type from "typebox";
import { usageAccess } from "../../accounts/usage-access.ts";
import { GatewayError } from "../../contract/errors.ts";
import { CallDetails } from "../../contract/usage-records.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { parseJson } from "../../lib/json.ts";
import type { LoggedCall } from "../../usage/store.ts";
import { adminCallRecord, callRecord } from "./call-record.ts";
import type { UsageRouteDeps } from "./usage-deps.ts";

const CallPath = Type.Object({ id: Type.String({ maxLength: 128, pattern: "^[^\\u0000]*$" }) });

export const getLog = (deps: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/api/gw/logs/{id}"],
    tag: "Usage",
    summary: "Show a call",
    description: "With its attempts, what each part of it cost, and the price list that was used.",
    auth: "session",
    scope: "usage:read",
    params: CallPath,
    success: CallDetails,
    errors: ["not_found"],
    async handle({ caller, params }) {
      const call = await deps.usage.find(params.id);
      if (!call?.organizationId) throw missing();
      const { teamIds } = await usageAccess(deps.stores, caller, call.organizationId).catch((thrown) => {
        throw thrown instanceof GatewayError && thrown.kind === "not_found" ? missing() : thrown;
      });
      if (teamIds !== null && !teamIds.includes(call.teamId ?? "")) throw missing();
      return json({ ...callRecord(call), ...(await details(deps, call)) });
    },
  });

export const adminGetLog = (deps: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/api/admin/logs/{id}"],
    tag: "Administration",
    summary: "Show a call of any organization",
    auth: "admin",
    params: CallPath,
    success: CallDetails,
    errors: ["not_found"],
    async handle({ params }) {
      const call = await deps.usage.find(params.id);
      if (!call) throw missing();
      // What people wrote to a model is for their own organization to read.
      const { prices } = await details(deps, call);
      return json({ ...adminCallRecord(call), prices, request: null, response: null });
    },
  });

async function details({ usage }: UsageRouteDeps, { id, priceVersion }: LoggedCall) {
  const [contents, version] = await Promise.all([
    usage.findContents(id),
    priceVersion === null ? null : usage.findPrices(priceVersion),
  ]);
  return {
    prices: read(version?.prices ?? null),
    request: read(contents?.request ?? null),
    response: read(contents?.response ?? null),
  };
}

/** What was stored as something else than JSON is shown as it is. */
function read(text: string | null): unknown {
  try {
    return text === null ? null : parseJson(text);
  } catch {
    return text;
  }
}

const missing = (): GatewayError => new GatewayError("not_found", "There is no such call.");
