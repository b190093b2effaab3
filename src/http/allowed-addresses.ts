import { GatewayError } from "../contract/errors.ts";
import { compileRanges, type IpRanges } from "../lib/ip-range.ts";
import type { Connection } from "./route.ts";

/** Throws `permission` for a caller from elsewhere. */
export type AdmitAddress = (connection: Connection) => void;

/** Lets in who calls from one of these addresses and ranges, and everybody where there is no list. A reload may bring another one. */
export function createAdmitAddress(allowed: () => readonly string[] | null): AdmitAddress {
  let ranges: IpRanges | null = null;
  return (connection) => {
    const list = allowed();
    if (list === null) return;
    if (ranges?.list !== list) ranges = compileRanges(list);
    const { remoteAddress } = connection;
    if (remoteAddress !== null && ranges.has(remoteAddress)) return;
    throw new GatewayError("permission", "This gateway cannot be called from your address.");
  };
}
