import { GatewayError } from "../contract/errors.ts";

/** Year, month and day are taken apart because a day that no month has would otherwise become one of the next. */
const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[Tt]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** When a key or a token ends: a moment that is still to come. `field` is what the caller calls it. */
export function readExpiry(text: string, nowMs: number, field = "expiresAt"): number {
  const [, year = "", month = "", day = ""] = INSTANT.exec(text) ?? [];
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  const at = isDay ? Date.parse(text) : Number.NaN;
  if (year === "" || Number.isNaN(at)) {
    throw invalid(field, "use a time with its zone, such as `2030-01-31T12:00:00Z`.");
  }
  if (at <= nowMs) throw invalid(field, "it lies in the past.");
  return at;
}

const invalid = (param: string, reason: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: ${reason}`, { param });
