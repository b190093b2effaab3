import { parseUsd } from "../contract/money.ts";
import type { Section } from "./section.ts";

/** An amount in USD, in nano-USD. Read from its text: a float would lose what it cannot say. */
export function readUsd(section: Section, key: string): bigint | null {
  const text = section.text(key);
  if (text === null) return null;
  const amount = parseUsd(text);
  if (amount === null) section.fault(key, "expected an amount in USD such as 2.50, with at most nine decimals");
  return amount;
}
