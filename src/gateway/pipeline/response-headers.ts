import type { KeyCaller } from "../../contract/caller.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { formatUsd } from "../../contract/money.ts";
import { publicAddress } from "../../contract/public-address.ts";
import { PROGRAM_VERSION } from "../../contract/version.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import { droppedOf } from "../attempts/translation.ts";
import type { Returned } from "../attempts/upstream-request.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";

/** Headers by which an upstream tells its own limits; they are passed on. */
const RATE_LIMIT = /^(x-ratelimit-|anthropic-ratelimit-)/;

/** What an answer, or an error after the choice, says about where it came from. */
export const choiceHeaders = (target: ResolvedTarget): Record<string, string> => addChoice({}, target);

function addChoice(headers: Record<string, string>, target: ResolvedTarget): Record<string, string> {
  const { deployment, endpoint, retries, fallbacks } = target;
  headers["x-gw-attempted-retries"] = retries === 0 ? "0" : String(retries);
  headers["x-gw-attempted-fallbacks"] = fallbacks === 0 ? "0" : String(fallbacks);
  const place = endpoint.apiBase === deployment.apiBase ? ownPlace(deployment) : placeOf(deployment, endpoint.apiBase);
  for (const name in place) headers[name] = place[name] as string;
  return headers;
}

/** The same for every call of a deployment, and worked out once: taking an address apart is dear. */
const places = new WeakMap<Deployment, Readonly<Record<string, string>>>();

function ownPlace(deployment: Deployment): Readonly<Record<string, string>> {
  const known = places.get(deployment);
  if (known) return known;
  const made = placeOf(deployment, deployment.apiBase);
  places.set(deployment, made);
  return made;
}

const placeOf = ({ id, group }: Deployment, apiBase: string | null): Readonly<Record<string, string>> => ({
  "x-gw-model-id": headerText(id),
  "x-gw-model-group": headerText(group),
  "x-gw-version": PROGRAM_VERSION,
  ...(apiBase === null ? {} : { "x-gw-model-api-base": headerText(shownAddress(apiBase)) }),
});

/** Where a deployment is, as callers may know it: without a query, a user's name or what looks like a token. */
export const shownAddress = (apiBase: string): string => publicAddress(apiBase).replace(/\?.*$/s, "");

/** The same with the times of the call, the upstream's own limits, and the cost in nano-USD where it is known already. */
export function answerHeaders(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  { response, sentAtMs }: Returned,
  cost: bigint | null = null,
): Record<string, string> {
  const now = deps.clock.monotonicMs();
  const totalMs = now - call.receivedAtMs;
  // What differs from one answer to the next comes first: the runtime looks for a name from the beginning.
  const headers: Record<string, string> = {
    "x-gw-response-duration-ms": totalMs.toFixed(2),
    "x-gw-overhead-duration-ms": Math.max(0, totalMs - (now - sentAtMs)).toFixed(3),
  };
  if (cost !== null) headers["x-gw-response-cost"] = formatUsd(cost);
  addKeyHeaders(deps, call, headers);
  response.headers.forEach((value, name) => {
    if (RATE_LIMIT.test(name)) headers[name] = value;
  });
  // Our own limits come after the upstream's: a caller meets them first.
  call.responseMeta.addTo(headers);
  const dropped = droppedOf(target.fields);
  if (dropped.length > 0) headers["x-gw-dropped-params"] = headerText(dropped.join(", "));
  return addChoice(headers, target);
}

/** Of an answer that is given again: where it came from the first time, and what it costs now. */
export function keptAnswerHeaders(
  deps: GatewayDeps,
  call: InferenceCall,
  { deploymentId, group }: { readonly deploymentId: string; readonly group: string },
  cost: bigint,
): Record<string, string> {
  const totalMs = deps.clock.monotonicMs() - call.receivedAtMs;
  const headers: Record<string, string> = {
    "x-gw-model-id": headerText(deploymentId),
    "x-gw-model-group": headerText(group),
    "x-gw-version": PROGRAM_VERSION,
    "x-gw-attempted-retries": "0",
    "x-gw-attempted-fallbacks": "0",
    "x-gw-response-cost": formatUsd(cost),
    "x-gw-response-duration-ms": totalMs.toFixed(2),
    "x-gw-overhead-duration-ms": totalMs.toFixed(3),
  };
  addKeyHeaders(deps, call, headers);
  call.responseMeta.addTo(headers);
  return headers;
}

/** What the key may do and has spent; with a plain answer what it cost is in there already. */
function addKeyHeaders({ books }: GatewayDeps, { caller }: InferenceCall, headers: Record<string, string>): void {
  const spend = caller.master ? null : books.spendOfKey(caller.keyId);
  if (spend !== null) headers["x-gw-key-spend"] = formatUsd(told(spend, caller.waivedSpend ?? 0n));
  const rules = keyRules(caller);
  for (const name in rules) headers[name] = rules[name] as string;
}

/** What other processes have spent may not be known yet, and have been waived. */
const told = (spend: bigint, waived: bigint): bigint => (spend > waived ? spend - waived : 0n);

/** The same for all calls of a key until something about it is changed. */
const ruled = new WeakMap<KeyCaller, Readonly<Record<string, string>>>();

export function keyRules(caller: KeyCaller): Readonly<Record<string, string>> {
  const known = ruled.get(caller);
  if (known) return known;
  const { rpmLimit, tpmLimit, budgets, master } = caller;
  const made: Record<string, string> = {};
  const own = master ? undefined : budgets.find(({ scope, isFurther }) => scope === "key" && !isFurther);
  if (own) made["x-gw-key-max-budget"] = formatUsd(own.limit);
  if (rpmLimit !== null) made["x-gw-key-rpm-limit"] = String(rpmLimit);
  if (tpmLimit !== null) made["x-gw-key-tpm-limit"] = String(tpmLimit);
  ruled.set(caller, made);
  return made;
}

/** A header takes printable ASCII; what else a name holds is percent-encoded. */
const headerText = (text: string): string =>
  text.replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed()));
