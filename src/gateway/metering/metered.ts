import { chargedPrices, neededFields } from "../../catalog/charged-prices.ts";
import { amountOf, costOf } from "../../catalog/cost.ts";
import { priceSheet } from "../../catalog/price-sheet.ts";
import type { Tariff } from "../../catalog/price-table.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import type { Hold } from "../../ledger/books.ts";
import { type Choice, choose } from "../choose.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../deps.ts";
import { tellWhere } from "../tell-where.ts";
import { newRecord } from "./call-record.ts";
import { type Asked, askedTier, inputUnits, unitsAtMost } from "./estimate.ts";
import { type Admission, type Charge, MeteredCall, outcome } from "./metered-call.ts";
import { measurePrompt } from "./prompt-measure.ts";

/**
 * The way of every inference call: a deployment is chosen, the estimate set aside, the call written down, and only then
 * sent. Whatever `work` throws ends the call in the books; what it answers has ended there, or ends with its last byte.
 */
export async function metered(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: Operation,
  request: Fields,
  work: (choice: Choice, meter: MeteredCall) => Promise<Response>,
  fileBytes = 0,
): Promise<Response> {
  const choice = choose(deps, call, operation, request);
  return tellWhere(choice, async () => {
    const meter = await admit(deps, call, choice, request, { operation, fields: choice.fields, fileBytes });
    try {
      return await work(choice, meter);
    } catch (thrown) {
      await meter.fail(thrown);
      throw thrown;
    }
  });
}

async function admit(
  deps: GatewayDeps,
  call: InferenceCall,
  choice: Choice,
  request: Fields,
  given: Omit<Asked, "measure">,
): Promise<MeteredCall> {
  const asked: Asked = { ...given, measure: measurePrompt(given.operation, given.fields) };
  try {
    const tariff = deps.prices.find(choice.deployment) ?? (await loadTariff(deps, choice));
    const charge = chargeOf(deps, call, choice, asked, tariff);
    return await open(deps, call, choice, request, asked, charge, tariff.maxOutputTokens);
  } catch (thrown) {
    if (thrown instanceof GatewayError && REFUSALS.has(thrown.kind)) reject(deps, call, choice, request, asked, thrown);
    throw thrown;
  }
}

/** Right after the start the public lists are still being read; a call that is charged by them waits. */
async function loadTariff(deps: GatewayDeps, { deployment }: Choice): Promise<Tariff> {
  await deps.prices.load();
  const tariff = deps.prices.find(deployment);
  if (!tariff) throw new GatewayError("unavailable", "The price lists are not there yet; send the call again.");
  return tariff;
}

/** What is written down as refused; other refusals are faults of the request and tell nobody anything. */
const REFUSALS: ReadonlySet<string> = new Set(["price_unknown", "insufficient_quota", "budget_exceeded"]);

function chargeOf(deps: GatewayDeps, call: InferenceCall, choice: Choice, asked: Asked, tariff: Tariff): Charge | null {
  if (tariff.free) return null;
  const prices = tariff.prices && chargedPrices(tariff.prices, asked.operation);
  if (prices) return { prices, markupBp: tariff.markupBp ?? deps.settings().markupBp };
  // The master key's calls are charged to nobody.
  if (!call.caller.standing) return null;
  const fields = neededFields(asked.operation).map((name) => `\`${name}\``);
  throw new GatewayError(
    "price_unknown",
    `The model \`${choice.deployment.group}\` has no price, so calls of it cannot be charged. The operator can state ` +
      `${fields.join(" and ")}, or \`free: true\`, in the \`model_info\` of its entry.`,
    { param: "model" },
  );
}

const NOTHING_HELD: Hold = { amount: 0n, settle: () => undefined, release: () => undefined };
const NO_POTS: readonly string[] = [];
const FREE: Admission = { hold: NOTHING_HELD, pots: NO_POTS };

async function open(
  deps: GatewayDeps,
  call: InferenceCall,
  choice: Choice,
  request: Fields,
  asked: Asked,
  charge: Charge | null,
  modelOutputMax: number | null,
): Promise<MeteredCall> {
  const { books } = deps;
  const sheet = charge && priceSheet(charge.prices, askedTier(asked.fields), charge.markupBp);
  const pots = sheet && !sheet.free ? books.pots.of(call.caller, deps.clock.nowMs()) : [];
  let admission = FREE;
  if (sheet && pots.length > 0) {
    const outputMax = Math.min(deps.settings().outputEstimateMax, modelOutputMax ?? Number.POSITIVE_INFINITY);
    const estimate = amountOf(sheet, unitsAtMost(asked, sheet.prices, outputMax));
    // Something is charged in the end, however little could be seen of it.
    const amount = estimate > 0n ? estimate : 1n;
    const pending = books.desk.hold({ callId: call.callId, pots, amount, signal: call.signal });
    const hold = pending instanceof Promise ? await pending : pending;
    admission = { hold, pots: pots.map(({ id }) => id) };
  }
  const begun = newRecord(deps, call, asked.operation, request, choice, "aborted");
  const units = inputUnits(asked);
  const { cost, providerCost, parts } = sheet ? costOf(sheet, units) : { cost: 0n, providerCost: 0n, parts: [] };
  const record = {
    ...begun,
    ...units,
    cost,
    providerCost,
    costParts: parts,
    priceVersion: sheet?.version ?? null,
    estimated: true,
  };
  try {
    await books.journal.open({ ...ownerOf(call), id: call.callId, record, pots: admission.pots, inputCost: cost });
  } catch (thrown) {
    admission.hold.release();
    throw thrown;
  }
  return new MeteredCall(deps, call, choice, asked, charge, begun, admission);
}

const ownerOf = ({ caller: { organizationId, teamId, keyId, keyName, userId } }: InferenceCall) => ({
  organizationId,
  teamId,
  keyId,
  keyName,
  userId,
});

/** A call that was refused has a row in the log as well; nobody waits for it. */
function reject(
  deps: GatewayDeps,
  call: InferenceCall,
  choice: Choice,
  request: Fields,
  asked: Asked,
  refusal: GatewayError,
): void {
  const record = newRecord(deps, call, asked.operation, request, choice, "rejected");
  deps.books.journal
    .end({ ...record, ...outcome("rejected", refusal) }, NO_POTS)
    .catch((err: unknown) => deps.log.error({ callId: call.callId, err }, "a refused call could not be written down"));
}
