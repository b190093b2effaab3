import { GatewayError } from "../../contract/errors.ts";
import type { Counted, Meter, MeterState, Refusal } from "../../limits/meter.ts";

/** Whose limits callers are told about, as headers name them and as words do. What is the operator's own is not theirs to know. */
const TOLD: Readonly<Record<string, readonly [header: string, words: string]>> = {
  key: ["api_key", "this key"],
  member: ["team_member", "you in this team"],
  user: ["user", "you"],
  team: ["team", "your team"],
  organization: ["organization", "your organization"],
  end_user: ["end_user", "this end user"],
};

const HEADER: Readonly<Record<Counted, string>> = {
  requests: "requests",
  tokens: "tokens",
  parallel: "max_parallel_requests",
};

const UNIT: Readonly<Record<Counted, readonly [noun: string, when: string]>> = {
  requests: ["request", "a minute"],
  tokens: ["token", "a minute"],
  parallel: ["call", "at one time"],
};

/**
 * What is left of the key's own limits and of whichever is the tightest, under the names of their owners; and the tightest
 * under the names that clients look for. All limits of all owners were 22 headers, which took 20 µs of each call: the runtime
 * compares every name with all others. Of two that are as tight, the narrower one tells more; the widest come first.
 */
export function limitHeaders(states: readonly MeterState[], headers: Record<string, string> = {}) {
  let requests: MeterState | null = null;
  let tokens: MeterState | null = null;
  let parallel: MeterState | null = null;
  for (const state of states) {
    const { meter, remaining } = state;
    const names = namesOf(meter);
    if (names === null) continue;
    if (meter.owner.scope === "key") tell(state, names, headers);
    if (meter.counted === "requests") {
      if (!requests || remaining <= requests.remaining) requests = state;
    } else if (meter.counted === "tokens") {
      if (!tokens || remaining <= tokens.remaining) tokens = state;
    } else if (!parallel || remaining <= parallel.remaining) parallel = state;
  }
  if (requests) tellOfOthers(requests, headers);
  if (tokens) tellOfOthers(tokens, headers);
  if (parallel) tellOfOthers(parallel, headers);
  if (requests) {
    headers["x-ratelimit-limit-requests"] = namesOf(requests.meter)?.limitText ?? String(requests.meter.limit);
    headers["x-ratelimit-remaining-requests"] = String(requests.remaining);
    headers["x-ratelimit-reset-requests"] = `${seconds(requests.resetMs)}s`;
  }
  if (tokens) {
    headers["x-ratelimit-limit-tokens"] = namesOf(tokens.meter)?.limitText ?? String(tokens.meter.limit);
    headers["x-ratelimit-remaining-tokens"] = String(tokens.remaining);
    headers["x-ratelimit-reset-tokens"] = `${seconds(tokens.resetMs)}s`;
  }
  return headers;
}

/** The key's own are told already. */
function tellOfOthers(tightest: MeterState, headers: Record<string, string>): void {
  const names = tightest.meter.owner.scope === "key" ? null : namesOf(tightest.meter);
  if (names) tell(tightest, names, headers);
}

function tell({ remaining }: MeterState, names: HeaderNames, headers: Record<string, string>): void {
  const left = String(remaining);
  headers[names.limit] = names.limitText;
  headers[names.remaining] = left;
  if (names.ofModel !== null) headers[names.ofModel] = left;
}

interface HeaderNames {
  readonly limit: string;
  readonly limitText: string;
  readonly remaining: string;
  readonly ofModel: string | null;
}

/** Put together once for each limit: for each call it took 4 µs. */
const names = new WeakMap<Meter, HeaderNames>();

/** Null for limits that callers are not told about. */
function namesOf(meter: Meter): HeaderNames | null {
  const known = names.get(meter);
  if (known) return known;
  const { owner, counted, limit } = meter;
  const told = TOLD[owner.scope];
  if (!told) return null;
  const name = owner.model === null ? told[0] : `model_per_${owner.scope}`;
  const made = {
    limit: `x-ratelimit-${name}-limit-${HEADER[counted]}`,
    limitText: String(limit),
    remaining: `x-ratelimit-${name}-remaining-${HEADER[counted]}`,
    ofModel:
      owner.model !== null && owner.scope === "key"
        ? `x-gw-key-remaining-${counted}-${groupInHeader(owner.model)}`
        : null,
  };
  names.set(meter, made);
  return made;
}

/** Says which limit of whom, and when to come back. */
export function limitError({ meter, retryMs, states }: Refusal): GatewayError {
  const wait = Math.max(1, seconds(retryMs));
  const when = `Try again in ${wait} second${wait === 1 ? "" : "s"}.`;
  return new GatewayError("rate_limit", `${wordsOf(meter)} ${when}`, {
    headers: { ...limitHeaders(states), "retry-after": String(wait) },
  });
}

function wordsOf({ owner, counted, limit }: Meter): string {
  const told = TOLD[owner.scope];
  if (!told) return "This gateway is serving as many calls as it may.";
  const model = owner.model === null ? "" : ` and the model \`${owner.model}\``;
  const [noun, when] = UNIT[counted];
  return `Rate limit exceeded for ${told[1]}${model}: ${limit} ${limit === 1 ? noun : `${noun}s`} ${when}.`;
}

/** A deployment that has no room; which one it is, and what it may do, is the operator's to know. */
export function deploymentFull(group: string, retryMs: number): GatewayError {
  const wait = Math.max(1, seconds(retryMs));
  return new GatewayError(
    "rate_limit",
    `No deployments available for selected model \`${group}\`, try again in ${wait} second${wait === 1 ? "" : "s"}.`,
    { headers: { "retry-after": String(wait) } },
  );
}

/** Part of a header's name. */
const groupInHeader = (group: string): string => group.replace(/[^A-Za-z0-9._-]/g, "-");

const seconds = (ms: number): number => Math.ceil(ms / 1000);
