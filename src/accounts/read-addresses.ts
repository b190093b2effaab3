import { GatewayError } from "../contract/errors.ts";
import { formatRange, parseRange } from "../lib/ip-range.ts";

const ALLOWED_IPS_MAX = 50;

/** The addresses and ranges that a key or an organization may be used from, in their usual spelling. */
export function readAddresses(list: readonly string[]): readonly string[] {
  if (list.length > ALLOWED_IPS_MAX) throw invalid(`at most ${ALLOWED_IPS_MAX} are possible.`);
  const ranges = list.map((text) => {
    const range = parseRange(text.trim());
    if (!range) throw invalid(`\`${text.slice(0, 60)}\` is neither an address nor a range such as 10.0.0.0/8.`);
    return formatRange(range);
  });
  return [...new Set(ranges)];
}

const invalid = (reason: string): GatewayError =>
  new GatewayError("invalid_request", `allowedIps: ${reason}`, { param: "allowedIps" });
