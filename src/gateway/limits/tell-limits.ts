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

/** What is left of each limit that applies to a caller, and the tightest of them under the names that clients look for. */
export function limitHeaders(states: readonly MeterState[]): Record<string, string> {
  const headers: Record<string, string> = {};
  const tightest: Partial<Record<Counted, MeterState>> = {};
  for (const state of states) {
    const { meter, remaining } = state;
    const told = TOLD[meter.owner.scope];
    if (!told) continue;
    const { counted, limit } = meter;
    const name = meter.owner.model === null ? told[0] : `model_per_${meter.owner.scope}`;
    headers[`x-ratelimit-${name}-limit-${HEADER[counted]}`] = String(limit);
    headers[`x-ratelimit-${name}-remaining-${HEADER[counted]}`] = String(remaining);
    if (meter.owner.model !== null && meter.owner.scope === "key") {
      headers[`x-gw-key-remaining-${counted}-${groupInHeader(meter.owner.model)}`] = String(remaining);
    }
    const present = tightest[counted];
    if (!present || remaining < present.remaining) tightest[counted] = state;
  }
  for (const counted of ["requests", "tokens"] as const) {
    const state = tightest[counted];
    if (!state) continue;
    headers[`x-ratelimit-limit-${counted}`] = String(state.meter.limit);
    headers[`x-ratelimit-remaining-${counted}`] = String(state.remaining);
    headers[`x-ratelimit-reset-${counted}`] = `${seconds(state.resetMs)}s`;
  }
  return headers;
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
