import { chargedPrices, neededFields } from "../../catalog/charged-prices.ts";
import { amountOf } from "../../catalog/cost.ts";
import { type PriceSheet, priceSheet } from "../../catalog/price-sheet.ts";
import type { Tariff } from "../../catalog/price-table.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import type { UsageRecord } from "../../contract/usage.ts";
import { isWildcard } from "../../lib/wildcard.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { type Asked, askedTier, inputUnits } from "./estimate.ts";
import { type CreditRequest, holdCredit, increaseHold } from "./hold-credit.ts";
import { type Outcome, outcome } from "./outcome.ts";
import type { CallPricing, CreditHold, DeploymentLimits, Reservation } from "./reservation.ts";
import { type CallDraft, loggedModel, newRecord, setUnits } from "./usage-record.ts";

/** A call that is to be written down, at the deployment where it goes. */
export interface ReservationRequest {
  readonly call: InferenceCall;
  readonly request: Fields;
  readonly target: ResolvedTarget;
  readonly asked: Asked;
}

/** The same, and by what it is charged there. */
interface Booked {
  readonly entry: ReservationRequest;
  readonly charge: CallPricing | null;
  readonly sheet: PriceSheet | null;
  readonly limits: DeploymentLimits;
}

/** Where a call was before, and whether something of its answer was delivered there. */
export interface PreviousReservation {
  readonly reservation: Reservation;
  readonly hasBegun: boolean;
}

/**
 * Sets aside what a call may cost at a deployment and writes it down. A call that moves on from another one is priced
 * anew: what was set aside there is kept where the price is the same, and let go of where it is not, unless a part of the
 * answer may have to be paid out of it. It may be gone already, if a place between the two was too dear or could not be
 * written down. Without a promise where nothing has to be waited for; `written` tells when the call is in the journal.
 */
export function reserve(
  deps: GatewayDeps,
  entry: ReservationRequest,
  previous: PreviousReservation | null,
): Reservation | Promise<Reservation> {
  const { call, target, asked } = entry;
  try {
    const tariff = pricingOf(deps, target.deployment);
    if (tariff instanceof Promise) return tariff.then(() => reserve(deps, entry, previous));
    const charge = chargeOf(deps, call, target.deployment, asked.operation, tariff);
    const sheet = charge && priceSheet(charge.prices, askedTier(asked.fields), charge.markupBp);
    const limits = {
      provider: target.provider.id,
      upstreamModel: target.endpoint.upstreamModel,
      maxInputTokens: tariff.maxInputTokens,
      maxOutputTokens: tariff.maxOutputTokens,
    };
    const model = loggedModel(target.deployment, true);
    const admitted = admit(deps, { call, asked, model, sheet, limits }, previous);
    const booked = { entry, charge, sheet, limits };
    if (admitted instanceof Promise) return bookAfter(admitted, deps, booked, previous);
    return writeDown(deps, booked, admitted, previous);
  } catch (thrown) {
    throw refused(deps, entry, previous, thrown);
  }
}

function admit(
  deps: GatewayDeps,
  request: CreditRequest,
  previous: PreviousReservation | null,
): CreditHold | Promise<CreditHold> {
  const kept = previous?.reservation.admission;
  if (!previous || !kept?.hold.isOpen) return holdCredit(deps, request);
  const isAlike = deps.books.creditSources.areAlike(
    request.call.caller,
    previous.reservation.record.model ?? "",
    request.model,
  );
  if (isAlike && previous.reservation.sheet?.version === request.sheet?.version) return kept;
  if (previous.hasBegun && kept.creditSources.length > 0) return increaseHold(deps, request, kept);
  kept.hold.release();
  return holdCredit(deps, request);
}

async function bookAfter(
  admitted: Promise<CreditHold>,
  deps: GatewayDeps,
  booked: Booked,
  previous: PreviousReservation | null,
): Promise<Reservation> {
  try {
    return writeDown(deps, booked, await admitted, previous);
  } catch (thrown) {
    throw refused(deps, booked.entry, previous, thrown);
  }
}

function writeDown(
  deps: GatewayDeps,
  { entry, charge, sheet, limits }: Booked,
  admission: CreditHold,
  previous: PreviousReservation | null,
): Reservation {
  try {
    const { books } = deps;
    const record = opened(deps, entry, sheet);
    // If this process ends before the call does, its row names this sheet all the same.
    if (sheet) books.keepSheet(sheet);
    const written = books.journal.open({ record, creditSources: admission.creditSources, inputCost: record.cost });
    const target = admission.outputMax === null ? entry.target : withOutputLimit(entry, admission.outputMax);
    return { target, asked: entry.asked, limits, charge, record, admission, sheet, written };
  } catch (thrown) {
    if (admission !== previous?.reservation.admission) admission.hold.release();
    throw thrown;
  }
}

/** OpenAI's own models know the newer name alone; other servers may know only the older one. */
const NEWER_NAME: ReadonlySet<string> = new Set(["openai", "azure"]);

/** The request with a limit of its response that the held credit pays for. */
function withOutputLimit({ target, asked }: ReservationRequest, outputMax: number): ResolvedTarget {
  const { max_tokens: _, max_completion_tokens: newer, ...fields } = target.fields;
  const isNewer = newer !== undefined || (asked.operation === "chat" && NEWER_NAME.has(target.provider.id));
  const name = isNewer ? "max_completion_tokens" : "max_tokens";
  return { ...target, fields: { ...fields, [name]: outputMax } };
}

/** A refusal has a row in the log, unless the call was let go elsewhere before. */
function refused(
  deps: GatewayDeps,
  entry: ReservationRequest,
  previous: PreviousReservation | null,
  thrown: unknown,
): unknown {
  const { call, request, target, asked } = entry;
  if (previous === null && thrown instanceof GatewayError && isRefusal(thrown)) {
    logRejectedCall(deps, newRecord(deps, call, asked.operation, request, target, "rejected"), thrown);
  }
  return thrown;
}

/** What the books know of a call if this process ends before it does: that it was sent, at the price of its prompt. */
function opened(deps: GatewayDeps, entry: ReservationRequest, sheet: PriceSheet | null): CallDraft {
  const { call, request, target, asked } = entry;
  const record = newRecord(deps, call, asked.operation, request, target, "aborted");
  const units = inputUnits(asked);
  setUnits(record, units);
  record.cost = sheet ? amountOf(sheet, units) : 0n;
  record.priceVersion = sheet?.version ?? null;
  record.estimated = true;
  return record;
}

/** Right after the start the model table is still being read; a call that is charged by it waits. */
export const pricingOf = (deps: GatewayDeps, deployment: Deployment): Tariff | Promise<Tariff> =>
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
): CallPricing | null {
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
export const logRejectedCall = (deps: GatewayDeps, record: UsageRecord, refusal: GatewayError): void =>
  logUnsentCall(deps, record, outcome("rejected", refusal));

/** A call that ends before anything was set aside for it costs nothing; nobody waits for its row. */
export function logUnsentCall({ books, log }: GatewayDeps, record: UsageRecord, ended: Outcome): void {
  books.journal
    .end({ ...record, ...ended }, NO_POTS)
    .catch((err: unknown) =>
      log.error({ callId: record.id, err }, "a call that was not sent could not be written down"),
    );
}
