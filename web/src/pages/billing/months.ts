/** `2026-11` of a moment in a time zone. */
function monthOf(at: Date, timezone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone: timezone, year: "numeric", month: "2-digit" });
  return parts.format(at).slice(0, 7);
}

/** The months from a moment to now, the present one first. */
export function monthsSince(from: string, timezone: string, now = new Date()): string[] {
  const first = monthOf(new Date(from), timezone);
  const months: string[] = [];
  let [year = 0, month = 1] = monthOf(now, timezone).split("-").map(Number);
  for (;;) {
    const name = `${year}-${String(month).padStart(2, "0")}`;
    months.push(name);
    if (name <= first) return months;
    month -= 1;
    if (month === 0) [year, month] = [year - 1, 12];
  }
}

/** `November 2026`. */
export const monthWords = (month: string): string =>
  new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" }).format(new Date(`${month}-01`));
