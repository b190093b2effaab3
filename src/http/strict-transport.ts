import { compileRanges } from "../lib/ip-range.ts";
import { isLoopbackHost } from "../lib/loopback.ts";
import type { Connection } from "./route.ts";

export interface StrictTransportSettings {
  readonly publicUrl: string | null;
  readonly trustedProxies: readonly string[];
  /** How long browsers keep to TLS; 0: they are not told. */
  readonly strictTransportSeconds: number;
}

/** The value of `Strict-Transport-Security` for an answer; null where it has none. */
export type StrictTransport = (request: Request, peer: Connection) => string | null;

const never: StrictTransport = () => null;

/**
 * Browsers that came by TLS are told to come by nothing else. Only where people are meant to come by TLS, and only when a proxy
 * that is trusted says that this one did: whoever hears it is kept from everything at that host that has no TLS.
 */
export function createStrictTransport(settings: StrictTransportSettings): StrictTransport {
  const { publicUrl, trustedProxies, strictTransportSeconds } = settings;
  if (publicUrl === null || strictTransportSeconds === 0 || trustedProxies.length === 0) return never;
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol !== "https:" || isLoopbackHost(hostname)) return never;
  const proxies = compileRanges(trustedProxies);
  const value = `max-age=${strictTransportSeconds}`;
  return ({ headers }, { remoteAddress }) => {
    // Each proxy on the way may have added its own; the last one is that of our neighbour.
    const came = headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim().toLowerCase();
    return came === "https" && remoteAddress !== null && proxies.has(remoteAddress) ? value : null;
  };
}
