/** How long a `retry-after` asks for: seconds, or a date. Null where it says nothing that can be waited for. */
export function readRetryAfter(text: string | null | undefined, nowMs: number): number | null {
  if (text === null || text === undefined || text.trim() === "") return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : null;
  const date = Date.parse(text);
  return Number.isFinite(date) ? Math.max(0, date - nowMs) : null;
}
