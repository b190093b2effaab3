import { GatewayError } from "../contract/errors.ts";
import { formatUsd } from "../contract/money.ts";

export const NANO_PER_CENT = 10_000_000n;
const USD = 100n * NANO_PER_CENT;
const PURCHASE_MIN = 5n * USD;
export const PURCHASE_MAX = 10_000n * USD;

/** An amount that can be bought: whole cents within the limits, since no card pays half a cent. */
export function checkPurchaseAmount(amount: bigint, name = "amount"): void {
  if (amount % NANO_PER_CENT !== 0n) throw refused(name, "it must be whole cents.");
  if (amount < PURCHASE_MIN || amount > PURCHASE_MAX) {
    throw refused(name, `it must be ${formatUsd(PURCHASE_MIN)} to ${formatUsd(PURCHASE_MAX)} USD.`);
  }
}

export const toCents = (amount: bigint): number => Number(amount / NANO_PER_CENT);
export const fromCents = (cents: number): bigint => BigInt(cents) * NANO_PER_CENT;

const refused = (name: string, why: string): GatewayError =>
  new GatewayError("invalid_request", `${name}: ${why}`, { param: name });
