import { GatewayError } from "../contract/errors.ts";
import type { Hold, HoldRequest } from "./books.ts";
import type { PotState } from "./credit-state.ts";
import type { LeaseRequest } from "./leases.ts";
import type { OpenHold } from "./open-hold.ts";

/** A call that could not be admitted at once. */
export interface Waiter {
  readonly request: HoldRequest;
  readonly states: readonly PotState[];
  readonly arrivedAtMs: number;
  /** The amount needed; refined, it may be less than that of the request. */
  amount: bigint;
  refinement: "possible" | "running" | "done";
  /** It has waited as long as a call may. */
  isLate: boolean;
  /** What it has already, and would have more of. */
  readonly former: OpenHold | null;
  admit(hold: Hold): void;
  refuse(error: GatewayError): void;
}

/** An answer that was asked for so long before the call came still counts: else a storm of refusals would be one of questions. */
const STILL_KNOWN_MS = 100;

export type Verdict =
  /** What to take of each pot. */
  | { readonly kind: "admit"; readonly amounts: readonly bigint[] }
  | { readonly kind: "refuse"; readonly state: PotState }
  /** The database has to be asked about these. */
  | { readonly kind: "ask"; readonly states: readonly PotState[] }
  /** Others have what is left, in this process or elsewhere. */
  | { readonly kind: "wait" };

/**
 * Whether a call can be admitted now, and with how much of each pot. All pots or none. It gets less than it needs only
 * if no other call holds something that could come back.
 */
export function judge(
  { states, amount, arrivedAtMs, former }: Pick<Waiter, "states" | "amount" | "arrivedAtMs" | "former">,
  nowMs: number,
): Verdict {
  const amounts: bigint[] = [];
  const unknown: PotState[] = [];
  let waits = false;
  for (const [index, state] of states.entries()) {
    const idle = state.usable(nowMs) + (former?.taken(index) ?? 0n);
    if (idle >= amount) amounts.push(amount);
    else if (state.outdated || state.plenty || state.askedAtMs < arrivedAtMs - STILL_KNOWN_MS) unknown.push(state);
    else if (state.sole && idle > 0n && state.held === (former?.taken(index) ?? 0n)) amounts.push(idle);
    else if (!isExhausted(state, idle)) waits = true;
    else if (state.askedAtMs < nowMs - STILL_KNOWN_MS) unknown.push(state);
    else return { kind: "refuse", state };
  }
  if (unknown.length > 0) return { kind: "ask", states: unknown };
  return waits ? { kind: "wait" } : { kind: "admit", amounts };
}

/** Nothing is left, and nothing is out that could come back. */
const isExhausted = (state: PotState, idle: bigint): boolean => state.sole && idle <= 0n && state.held === 0n;

/** What all who wait for the pot need, and something ahead for those who come next. */
export function wantOf(state: PotState, waiters: Iterable<Waiter>, nowMs: number): LeaseRequest | null {
  const { pot } = state;
  if (pot === null) return null;
  let [largest, sum] = [0n, 0n];
  for (const { states, amount, former } of waiters) {
    const index = states.indexOf(state);
    if (index < 0) continue;
    const missing = amount - (former?.taken(index) ?? 0n);
    sum += missing;
    if (missing > largest) largest = missing;
  }
  const slice = state.nextSlice(largest, nowMs);
  const wish = (slice > sum ? slice : sum) - state.idle;
  const least = largest - state.idle;
  if (wish <= 0n && least <= 0n && sum === 0n) return null;
  return { pot, wish: wish > 0n ? wish : 0n, least: least > 0n ? least : 0n };
}

export const creditHeldElsewhere = (): GatewayError =>
  new GatewayError("unavailable", "Other calls hold what is left of the credit or budget; try again.", {
    headers: { "retry-after": "1" },
  });

export const creditUnknown = (cause: unknown): GatewayError =>
  new GatewayError("unavailable", "It cannot be found out at the moment whether there is credit; try again.", {
    cause,
    headers: { "retry-after": "1" },
  });

export const callerLeft = (): GatewayError => new GatewayError("unavailable", "The caller has left.");
