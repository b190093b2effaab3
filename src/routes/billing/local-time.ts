/** Tells moments as a clock in the zone shows them, such as `2026-11-15 09:30:00`. To make one takes longer than to ask it. */
export function localTimes(zone: string): (ms: number) => string {
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  return (ms) => clock.format(ms);
}
