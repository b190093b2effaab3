import { budgetRefusal } from "../../ledger/refusal.ts";
import type { GatewayDeps, InferenceCall } from "../deps.ts";
import { noteRefusal } from "../metering/book.ts";
import { newRecord } from "../metering/call-record.ts";
import type { Named } from "./errand.ts";

/** Throws where a tag of the call has spent its budget. No other deployment would help: it is the call that may not spend. */
export function refuseSpentTag(
  deps: GatewayDeps,
  call: InferenceCall,
  named: Named,
  facts: { readonly tags: readonly string[] },
): void {
  const spent = deps.spentTag(facts);
  if (spent === null) return;
  const refusal = budgetRefusal(`The budget of the tag \`${spent.name}\``, spent.untilMs, deps.clock.nowMs());
  const record = newRecord(deps, call, named.operation, named.request, null, "rejected");
  noteRefusal(deps, { ...record, model: named.group }, refusal);
  throw refusal;
}
