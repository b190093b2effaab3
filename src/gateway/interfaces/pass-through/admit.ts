import { amountOf } from "../../../catalog/cost.ts";
import type { Deployment } from "../../../contract/deployment.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { PassThrough } from "../../../contract/pass-through.ts";
import { NO_UNITS } from "../../../contract/usage.ts";
import { NOTHING_HELD } from "../../../ledger/books.ts";
import { type Permit, UNLIMITED } from "../../../limits/meter.ts";
import { rejectIfTagBudgetExhausted } from "../../attempts/tag-budget.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../../call/gateway.ts";
import type { RequestLabel } from "../../call/prepared-request.ts";
import { potIds } from "../../metering/credit-sources.ts";
import { isRefusal } from "../../metering/reserve.ts";
import { newRecord, tagsOf } from "../../metering/usage-record.ts";
import { mayCall } from "../../pipeline/authorize-model.ts";
import { applyEndUser, loggedRejection } from "../../pipeline/enforce-limits.ts";
import { requireEndUser } from "../../pipeline/require-end-user.ts";
import { PassThroughCall, sheetOf } from "./call.ts";

/** Nothing of the body is read: what else is to be known of a call stands in its headers. */
const UNREAD: Fields = {};

/** Lets a call pass by all that holds for calls of models, with its path in the place of a model's name. It is in the books then. */
export async function admitPassThrough(
  deps: GatewayDeps,
  call: InferenceCall,
  endpoint: PassThrough,
): Promise<PassThroughCall> {
  const { path } = endpoint;
  if (!mayCall(deps.catalog(), call.caller, path, path)) {
    const advice = "the list of models of the key, its team or its organization has to name it";
    throw new GatewayError("permission", `This key may not call \`${path}\`: ${advice}.`);
  }
  if (deps.settings().requireEndUser) requireEndUser(call, UNREAD);
  const named: RequestLabel = { operation: "pass_through", request: UNREAD, group: path };
  if (deps.endUsers.concern(call.caller, call.receivedAtMs)) await applyEndUser(deps, call, named);
  await deps.budgetsLoaded();
  rejectIfTagBudgetExhausted(deps, call, named, { tags: tagsOf(UNREAD, call.source.tags, call.caller.tags) });
  const permit = deps.limits.applyTo(call.caller) ? await enter(deps, call, named) : UNLIMITED;
  try {
    return await open(deps, call, endpoint, permit);
  } catch (thrown) {
    await permit.end(0);
    throw thrown instanceof GatewayError && isRefusal(thrown) ? loggedRejection(deps, call, named, thrown) : thrown;
  }
}

async function enter(deps: GatewayDeps, call: InferenceCall, named: RequestLabel): Promise<Permit> {
  try {
    const permit = await deps.limits.admit({ call, request: UNREAD, deployment: inName(named.group), tokens: null });
    call.responseMeta.limits = permit.states;
    return permit;
  } catch (thrown) {
    throw loggedRejection(deps, call, named, thrown);
  }
}

/** What limits ask about where a call goes. */
const inName = (path: string): Deployment => ({
  id: path,
  group: path,
  provider: "",
  upstreamModel: path,
  apiBase: null,
  apiKey: null,
  apiVersion: null,
  params: {},
  info: {},
});

/** Sets aside what the call costs and writes it down. */
async function open(
  deps: GatewayDeps,
  call: InferenceCall,
  endpoint: PassThrough,
  permit: Permit,
): Promise<PassThroughCall> {
  const { books, clock } = deps;
  const sheet = sheetOf(deps, endpoint);
  const creditSources = sheet ? books.creditSources.of(call.caller, endpoint.path, clock.nowMs()) : [];
  const amount = sheet ? amountOf(sheet, NO_UNITS) : 0n;
  const { callId, signal } = call;
  const hold =
    creditSources.length > 0 ? await books.desk.hold({ callId, creditSources, amount, signal }) : NOTHING_HELD;
  try {
    const record = newRecord(deps, call, "pass_through", UNREAD, null, "aborted");
    record.model = endpoint.path;
    record.priceVersion = sheet?.version ?? null;
    if (sheet) books.keepSheet(sheet);
    const admission = { hold, creditSources: potIds(creditSources), outputMax: null };
    await books.journal.open({ record, creditSources: admission.creditSources, inputCost: 0n });
    return new PassThroughCall(deps, call, record, sheet, admission, permit);
  } catch (thrown) {
    hold.release();
    throw thrown;
  }
}
