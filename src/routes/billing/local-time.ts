/** A moment as a clock in the zone shows it, such as `2026-11-15 09:30:00`. */
export const localTime = (zone: string, ms: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }).format(ms);
