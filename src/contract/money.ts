import { decimalText } from "./decimal-text.ts";

/** Amounts are integer nano-USD; people and headers read them as a decimal of US dollars. */
const NANO_DIGITS = 9;

export const formatUsd = (nano: bigint): string => decimalText(nano, NANO_DIGITS);
