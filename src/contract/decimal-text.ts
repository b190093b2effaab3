/** A whole number of the `digits`-th part of one, as a decimal: 1500 thousandths are `1.5`. */
export function decimalText(parts: bigint, digits: number): string {
  const sign = parts < 0n ? "-" : "";
  const text = (parts < 0n ? -parts : parts).toString().padStart(digits + 1, "0");
  const point = text.length - digits;
  let end = text.length;
  while (end > point && text.charCodeAt(end - 1) === ZERO) end--;
  const whole = sign + text.slice(0, point);
  return end === point ? whole : `${whole}.${text.slice(point, end)}`;
}

const ZERO = 48;
