import { chargedPrices, neededFields } from "../../catalog/charged-prices.ts";
import { amountOf } from "../../catalog/cost.ts";
import { type PriceSheet, priceSheet } from "../../catalog/price-sheet.ts";
import type { Tariff } from "../../catalog/price-table.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import type { UsageRecord } from "../../contract/usage.ts";
import { isWildcard } from "../../lib/wildcard.ts";
import type { Choice } from "../attempts/resolve-target.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { type Asked, askedTier, inputUnits } from "./estimate.ts";
import { type CreditRequest, holdCredit, increaseHold } from "./hold-credit.ts";
import { type Outcome, outcome } from "./outcome.ts";
import type { Admission, Booking, Charge, DeploymentLimits } from "./reservation.ts";
import { type CallDraft, newRecord, servedName, setUnits } from "./usage-record.ts";

/** A call that is to be written down, at the deployment where it goes. */
export interface Entry {
  readonly call: InferenceCall;
  readonly request: Fields;
  readonly choice: Choice;
  readonly asked: Asked;
}

/** The same, and by what it is charged there. */
interface Booked {
  readonly entry: Entry;
  readonly charge: Charge | null;
  readonly sheet: PriceSheet | null;
  readonly limits: DeploymentLimits;
}

/** Where a call was before, and whether something of its answer was delivered there. */
export interface Former {
  readonly booking: Booking;
  readonly hasBegun: boolean;
}

/**
 * Sets aside what a call may cost at a deployment and writes it down. A call that moves on from another one is priced
 * anew: what was set aside there is kept where the price is the same, and let go of where it is not, unless a part of the
 * answer may have to be paid out of it. It may be gone already, if a place between the two was too dear or could not be
 * written down. Without a promise where nothing has to be waited for; `written` tells when the call is in the journal.
 */
export function book(deps: GatewayDeps, entry: Entry, former: Former | null): Booking | Promise<Booking> {
  const { call, choice, asked } = entry;
  try {
    const tariff = tariffOf(deps, choice.deployment);
    if (tariff instanceof Promise) return tariff.then(() => book(deps, entry, former));
    const charge = chargeOf(deps, call, choice.deployment, asked.operation, tariff);
    const sheet = charge && priceSheet(charge.prices, askedTier(asked.fields), charge.markupBp);
    const limits = {
      provider: choice.provider.id,
      upstreamModel: choice.target.upstreamModel,
      maxInputTokens: tariff.maxInputTokens,
      maxOutputTokens: tariff.maxOutputTokens,
    };
    const model = servedName(choice.deployment, true);
    const admitted = admit(deps, { call, asked, model, sheet, limits }, former);
    const booked = { entry, charge, sheet, limits };
    if (admitted instanceof Promise) return bookAfter(admitted, deps, booked, former);
    return writeDown(deps, booked, admitted, former);
  } catch (thrown) {
    throw refused(deps, entry, former, thrown);
  }
}

function admit(deps: GatewayDeps, request: CreditRequest, former: Former | null): Admission | Promise<Admission> {
  const kept = former?.booking.admission;
  if (!former || !kept?.hold.isOpen) return holdCredit(deps, request);
  const isAlike = deps.books.pots.areAlike(request.call.caller, former.booking.record.model ?? "", request.model);
  if (isAlike && former.booking.sheet?.version === request.sheet?.version) return kept;
  if (former.hasBegun && kept.pots.length > 0) return increaseHold(deps, request, kept);
  kept.hold.release();
  return holdCredit(deps, request);
}

async function bookAfter(
  admitted: Promise<Admission>,
  deps: GatewayDeps,
  booked: Booked,
  former: Former | null,
): Promise<Booking> {
  try {
    return writeDown(deps, booked, await admitted, former);
  } catch (thrown) {
    throw refused(deps, booked.entry, former, thrown);
  }
}

function writeDown(
  deps: GatewayDeps,
  { entry, charge, sheet, limits }: Booked,
  admission: Admission,
  former: Former | null,
): Booking {
  try {
    const { books } = deps;
    const record = opened(deps, entry, sheet);
    // If this process ends before the call does, its row names this sheet all the same.
    if (sheet) books.keepSheet(sheet);
    const written = books.journal.open({ record, pots: admission.pots, inputCost: record.cost });
    const choice = admission.outputMax === null ? entry.choice : withOutputLimit(entry, admission.outputMax);
    return { choice, asked: entry.asked, limits, charge, record, admission, sheet, written };
  } catch (thrown) {
    if (admission !== former?.booking.admission) admission.hold.release();
    throw thrown;
  }
}

/** OpenAI's own models know the newer name alone; other servers may know only the older one. */
const NEWER_NAME: ReadonlySet<string> = new Set(["openai", "azure"]);

/** The request with a limit of its response that the held credit pays for. */
function withOutputLimit({ choice, asked }: Entry, outputMax: number): Choice {
  const { max_tokens: _, max_completion_tokens: newer, ...fields } = choice.fields;
  const isNewer = newer !== undefined || (asked.operation === "chat" && NEWER_NAME.has(choice.provider.id));
  const name = isNewer ? "max_completion_tokens" : "max_tokens";
  return { ...choice, fields: { ...fields, [name]: outputMax } };
}

/** A refusal has a row in the log, unless the call was let go elsewhere before. */
function refused(deps: GatewayDeps, entry: Entry, former: Former | null, thrown: unknown): unknown {
  const { call, request, choice, asked } = entry;
  if (former === null && thrown instanceof GatewayError && isRefusal(thrown)) {
    noteRefusal(deps, newRecord(deps, call, asked.operation, request, choice, "rejected"), thrown);
  }
  return thrown;
}

/** What the books know of a call if this process ends before it does: that it was sent, at the price of its prompt. */
function opened(deps: GatewayDeps, entry: Entry, sheet: PriceSheet | null): CallDraft {
  const { call, request, choice, asked } = entry;
  const record = newRecord(deps, call, asked.operation, request, choice, "aborted");
  const units = inputUnits(asked);
  setUnits(record, units);
  record.cost = sheet ? amountOf(sheet, units) : 0n;
  record.priceVersion = sheet?.version ?? null;
  record.estimated = true;
  return record;
}

/** Right after the start the model table is still being read; a call that is charged by it waits. */
export const tariffOf = (deps: GatewayDeps, deployment: Deployment): Tariff | Promise<Tariff> =>
  deps.prices.find(deployment) ?? loadTariff(deps, deployment);

async function loadTariff(deps: GatewayDeps, deployment: Deployment): Promise<Tariff> {
  await deps.prices.load();
  const tariff = deps.prices.find(deployment);
  if (!tariff) throw new GatewayError("unavailable", "The model table is not loaded yet. Retry in a second.");
  return tariff;
}

/** What is written down as refused; other refusals are faults of the request and tell nobody anything. */
const REFUSALS: ReadonlySet<string> = new Set(["price_unknown", "insufficient_quota", "budget_exceeded"]);
export const isRefusal = ({ kind }: GatewayError): boolean => REFUSALS.has(kind);

export function chargeOf(
  deps: GatewayDeps,
  call: InferenceCall,
  deployment: Deployment,
  operation: Operation,
  tariff: Tariff,
): Charge | null {
  if (tariff.free) return null;
  const prices = tariff.prices && chargedPrices(tariff.prices, operation);
  if (prices) return { prices, markupBp: tariff.markupBp ?? deps.settings().markupBp };
  // The master key's calls are charged to nobody.
  if (!call.caller.standing || deps.settings().unpricedModels === "free") return null;
  // What a pattern states holds for all that fit it.
  const [name, entry] = isWildcard(deployment.group)
    ? [call.model, "an entry of its own"]
    : [deployment.group, "its entry"];
  throw new GatewayError(
    "price_unknown",
    `The model \`${name}\` has no price, so calls of it cannot be charged. The operator can state ` +
      `${neededFields(operation)}, in the \`model_info\` of ${entry}, or set \`unpriced_models: free\`.`,
    { param: "model" },
  );
}

const NO_POTS: readonly string[] = [];

/** A call that was refused has a row in the log as well. */
export const noteRefusal = (deps: GatewayDeps, record: UsageRecord, refusal: GatewayError): void =>
  noteUnsent(deps, record, outcome("rejected", refusal));

/** A call that ends before anything was set aside for it costs nothing; nobody waits for its row. */
export function noteUnsent({ books, log }: GatewayDeps, record: UsageRecord, ended: Outcome): void {
  books.journal
    .end({ ...record, ...ended }, NO_POTS)
    .catch((err: unknown) =>
      log.error({ callId: record.id, err }, "a call that was not sent could not be written down"),
    );
}
