import { InvalidArgumentError } from "commander";

/** Dollars as people write them, in nano-USD. The digits are moved, never multiplied: no cent is lost to a float. */
export function readUsd(text: string): number {
  const [, whole, fraction = ""] = /^\$?([0-9]{1,6})(?:\.([0-9]{1,9}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new InvalidArgumentError("It must be an amount in USD, such as 12.50.");
  return Number(whole + fraction.padEnd(9, "0"));
}
