import type { GatewayError } from "../../contract/errors.ts";
import { budgetRefusal } from "../../ledger/refusal.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { RequestLabel } from "../call/prepared-request.ts";
import { logRejectedCall } from "../metering/reserve.ts";
import { newRecord } from "../metering/usage-record.ts";

/** Asked for its tags only where there are budgets of any. */
interface Tagged {
  readonly tags: readonly string[];
}

/** Throws where a tag of the call has spent its budget. No other deployment would help: it is the call that may not spend. */
export function rejectIfTagBudgetExhausted(
  deps: GatewayDeps,
  call: InferenceCall,
  named: RequestLabel,
  facts: Tagged,
): void {
  const refusal = spentTagRefusal(deps, facts);
  if (refusal === null) return;
  const record = newRecord(deps, call, named.operation, named.request, null, "rejected");
  logRejectedCall(deps, { ...record, model: named.group }, refusal);
  throw refusal;
}

/** Why nothing more may be spent under these tags; null almost always. */
export function spentTagRefusal(deps: GatewayDeps, facts: Tagged): GatewayError | null {
  const spent = deps.spentTag(facts);
  return spent && budgetRefusal(`The budget of the tag \`${spent.name}\``, spent.untilMs, deps.clock.nowMs());
}
