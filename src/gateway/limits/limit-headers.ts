import { GatewayError } from "../../contract/errors.ts";
import type { Counted, Meter, MeterHeaders, MeterOwner, MeterState, Refusal } from "../../limits/meter.ts";

/** Whose limits callers are told about, as headers name them and as words do. What is the operator's own is not theirs to know. */
const TOLD: Readonly<Record<string, readonly [header: string, words: string]>> = {
  key: ["api_key", "this key"],
  member: ["team_member", "you in this team"],
  user: ["user", "you"],
  team: ["team", "your team"],
  organization: ["organization", "your organization"],
  end_user: ["end_user", "this end user"],
  model_group: ["model_group", "this model, whoever calls it"],
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
    if (meter.headers === null) continue;
    if (meter.owner.scope === "key") tell(state, headers);
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
    headers["x-ratelimit-limit-requests"] = requests.meter.headers?.limitText ?? "";
    headers["x-ratelimit-remaining-requests"] = String(requests.remaining);
    headers["x-ratelimit-reset-requests"] = `${seconds(requests.resetMs)}s`;
  }
  if (tokens) {
    headers["x-ratelimit-limit-tokens"] = tokens.meter.headers?.limitText ?? "";
    headers["x-ratelimit-remaining-tokens"] = String(tokens.remaining);
    headers["x-ratelimit-reset-tokens"] = `${seconds(tokens.resetMs)}s`;
  }
  return headers;
}

/** The key's own are told already. */
function tellOfOthers(tightest: MeterState, headers: Record<string, string>): void {
  if (tightest.meter.owner.scope !== "key") tell(tightest, headers);
}

function tell({ meter, remaining }: MeterState, headers: Record<string, string>): void {
  const names = meter.headers;
  if (names === null) return;
  const left = String(remaining);
  headers[names.limit] = names.limitText;
  headers[names.remaining] = left;
  if (names.ofModel !== null) headers[names.ofModel] = left;
}

/** Put together once for each limit: for each call it took 4 µs. */
export function meterHeaders({ scope, model }: MeterOwner, counted: Counted, limit: number): MeterHeaders | null {
  const told = TOLD[scope];
  if (!told) return null;
  const name = model === null ? told[0] : `model_per_${scope}`;
  return {
    limit: `x-ratelimit-${name}-limit-${HEADER[counted]}`,
    limitText: String(limit),
    remaining: `x-ratelimit-${name}-remaining-${HEADER[counted]}`,
    ofModel: model !== null && scope === "key" ? `x-gw-key-remaining-${counted}-${groupInHeader(model)}` : null,
  };
}

/** Says which limit of whom, and when to come back. */
export function limitError({ meter, retryMs, states }: Refusal): GatewayError {
  if (meter.limit === 0) {
    const message = `${wordsOf(meter)} Every call is rejected until the limit is raised.`;
    return new GatewayError("rate_limit", message, {
      headers: { ...limitHeaders(states), "x-should-retry": "false" },
    });
  }
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
export function deploymentAtCapacity(group: string, retryMs: number, why = ""): GatewayError {
  const wait = Math.max(1, seconds(retryMs));
  return new GatewayError(
    "rate_limit",
    `No deployments available for selected model \`${group}\`, try again in ${wait} second${wait === 1 ? "" : "s"}.${why}`,
    { headers: { "retry-after": String(wait) } },
  );
}

/** Part of a header's name. */
const groupInHeader = (group: string): string => group.replace(/[^A-Za-z0-9._-]/g, "-");

const seconds = (ms: number): number => Math.ceil(ms / 1000);
