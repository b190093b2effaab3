/** What people type as an amount of USD, in nano-USD; null when it is not one. Nothing is rounded: at most nine decimals. */
export function parseUsd(text: string): number | null {
  const found = /^\$?\s*(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text.trim().replaceAll(",", ""));
  if (!found) return null;
  return Number(found[1]) * 1_000_000_000 + Number((found[2] ?? "").padEnd(9, "0"));
}

/** The other way round, for a field that is filled in already: `12.5`. */
export function plainUsd(nano: number): string {
  const fraction = String(nano % 1_000_000_000)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${Math.floor(nano / 1_000_000_000)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** What is wrong with an amount that may be left out, for its field. */
export function checkAmount(text: string): string | null {
  return text.trim() === "" || parseUsd(text) !== null ? null : "An amount in US dollars, such as 25 or 0.5.";
}
