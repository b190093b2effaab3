import { chargedPrices, neededFields } from "../../catalog/charged-prices.ts";
import { amountOf } from "../../catalog/cost.ts";
import { type PriceSheet, priceSheet } from "../../catalog/price-sheet.ts";
import type { Tariff } from "../../catalog/price-table.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import type { UsageRecord } from "../../contract/usage.ts";
import { type Hold, NOTHING_HELD } from "../../ledger/books.ts";
import { isWildcard } from "../../lib/wildcard.ts";
import type { Choice } from "../choose.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../deps.ts";
import type { Admission, Booking, Charge } from "./booking.ts";
import { type CallDraft, newRecord, setUnits } from "./call-record.ts";
import { type Asked, askedTier, inputUnits, unitsAtMost } from "./estimate.ts";
import { type Outcome, outcome } from "./outcome.ts";
import { potIds } from "./pots.ts";

/** A call that is to be written down, at the deployment where it goes. */
export interface Entry {
  readonly call: InferenceCall;
  readonly request: Fields;
  readonly choice: Choice;
  readonly asked: Asked;
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
    const admitted = admit(deps, entry, former, sheet, tariff.maxOutputTokens);
    if (admitted instanceof Promise) return bookAfter(admitted, deps, entry, former, charge, sheet);
    return writeDown(deps, entry, charge, sheet, admitted, former);
  } catch (thrown) {
    throw refused(deps, entry, former, thrown);
  }
}

function admit(
  deps: GatewayDeps,
  { call, asked }: Entry,
  former: Former | null,
  sheet: PriceSheet | null,
  modelOutputMax: number | null,
): Admission | Promise<Admission> {
  const kept = former?.booking.admission;
  if (!former || !kept?.hold.isOpen) return setAside(deps, call, asked, sheet, modelOutputMax);
  if (former.booking.sheet?.version === sheet?.version) return kept;
  if (former.hasBegun && kept.pots.length > 0) return enlarge(deps, call, asked, sheet, modelOutputMax, kept);
  kept.hold.release();
  return setAside(deps, call, asked, sheet, modelOutputMax);
}

async function bookAfter(
  admitted: Promise<Admission>,
  deps: GatewayDeps,
  entry: Entry,
  former: Former | null,
  charge: Charge | null,
  sheet: PriceSheet | null,
): Promise<Booking> {
  try {
    return writeDown(deps, entry, charge, sheet, await admitted, former);
  } catch (thrown) {
    throw refused(deps, entry, former, thrown);
  }
}

function writeDown(
  deps: GatewayDeps,
  entry: Entry,
  charge: Charge | null,
  sheet: PriceSheet | null,
  admission: Admission,
  former: Former | null,
): Booking {
  try {
    const { books } = deps;
    const record = opened(deps, entry, sheet);
    // If this process ends before the call does, its row names this sheet all the same.
    if (sheet) books.keepSheet(sheet);
    const written = books.journal.open({ record, pots: admission.pots, inputCost: record.cost });
    return { choice: entry.choice, asked: entry.asked, charge, record, admission, sheet, written };
  } catch (thrown) {
    if (admission !== former?.booking.admission) admission.hold.release();
    throw thrown;
  }
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

/** Right after the start the public lists are still being read; a call that is charged by them waits. */
export const tariffOf = (deps: GatewayDeps, deployment: Deployment): Tariff | Promise<Tariff> =>
  deps.prices.find(deployment) ?? loadTariff(deps, deployment);

async function loadTariff(deps: GatewayDeps, deployment: Deployment): Promise<Tariff> {
  await deps.prices.load();
  const tariff = deps.prices.find(deployment);
  if (!tariff) throw new GatewayError("unavailable", "The price lists are not there yet; send the call again.");
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
  if (!call.caller.standing) return null;
  // What a pattern states holds for all that fit it.
  const [name, entry] = isWildcard(deployment.group)
    ? [call.model, "an entry of its own"]
    : [deployment.group, "its entry"];
  throw new GatewayError(
    "price_unknown",
    `The model \`${name}\` has no price, so calls of it cannot be charged. The operator can state ` +
      `${neededFields(operation)}, in the \`model_info\` of ${entry}.`,
    { param: "model" },
  );
}

const NO_POTS: readonly string[] = [];
const FREE: Admission = { hold: NOTHING_HELD, pots: NO_POTS };

/** Sets aside what a call may cost at most. */
export function setAside(
  deps: GatewayDeps,
  call: InferenceCall,
  asked: Asked,
  sheet: PriceSheet | null,
  modelOutputMax: number | null,
): Admission | Promise<Admission> {
  const { books } = deps;
  const pots = sheet && !sheet.free ? books.pots.of(call.caller, deps.clock.nowMs()) : [];
  if (!sheet || pots.length === 0) return FREE;
  const amount = estimateOf(deps, asked, sheet, modelOutputMax);
  const pending = books.desk.hold({ callId: call.callId, pots, amount, signal: call.signal });
  return pending instanceof Promise ? heldAfter(pending, potIds(pots)) : { hold: pending, pots: potIds(pots) };
}

function estimateOf(deps: GatewayDeps, asked: Asked, sheet: PriceSheet, modelOutputMax: number | null): bigint {
  const outputMax = Math.min(deps.settings().outputEstimateMax, modelOutputMax ?? Number.POSITIVE_INFINITY);
  const estimate = amountOf(sheet, unitsAtMost(asked, sheet.prices, outputMax));
  // Something is charged in the end, however little could be seen of it.
  return estimate > 0n ? estimate : 1n;
}

/** An answer that broke off is paid out of what is set aside, or the one that goes on with it is: whichever is more. */
function enlarge(
  deps: GatewayDeps,
  { callId, signal }: InferenceCall,
  asked: Asked,
  sheet: PriceSheet | null,
  modelOutputMax: number | null,
  kept: Admission,
): Admission | Promise<Admission> {
  const amount = sheet && !sheet.free ? estimateOf(deps, asked, sheet, modelOutputMax) : 0n;
  if (amount <= kept.hold.amount) return kept;
  const pending = deps.books.desk.hold({ callId, pots: [], amount, signal, former: kept.hold });
  return pending instanceof Promise ? pending.then(() => kept) : kept;
}

const heldAfter = async (pending: Promise<Hold>, pots: readonly string[]): Promise<Admission> => ({
  hold: await pending,
  pots,
});

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
