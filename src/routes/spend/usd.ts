import { formatUsd } from "../../contract/money.ts";

/** The number nearest to the exact decimal: nothing is computed in fractions on the way. */
export const usd = (nano: bigint): number => Number(formatUsd(nano));
