/** A whole number of the `digits`-th part of one, as a decimal: 1500 thousandths are `1.5`. */
export function decimalText(parts: bigint, digits: number): string {
  const sign = parts < 0n ? "-" : "";
  const text = (parts < 0n ? -parts : parts).toString().padStart(digits + 1, "0");
  const fraction = text.slice(-digits).replace(/0+$/, "");
  return sign + text.slice(0, -digits) + (fraction === "" ? "" : `.${fraction}`);
}
