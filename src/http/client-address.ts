import { isIP } from "node:net";
import { compileRanges, type IpRanges } from "../lib/ip-range.ts";
import type { Connection } from "./route.ts";

export type ReadClient = (request: Request, connection: Connection) => Connection;

/**
 * Who calls through proxies that the operator trusts: the right-most address of `x-forwarded-for` that is none of theirs. What
 * stands left of it was written by the caller and is not believed; without a trusted proxy at the other end nothing is.
 */
export function createReadClient(trusted: readonly string[]): ReadClient {
  if (trusted.length === 0) return (_, connection) => connection;
  const proxies = compileRanges(trusted);
  return (request, connection) => new ForwardedConnection(connection, request.headers, proxies);
}

class ForwardedConnection implements Connection {
  constructor(
    private readonly peer: Connection,
    private readonly headers: Headers,
    private readonly proxies: IpRanges,
  ) {}

  keepOpen(): void {
    this.peer.keepOpen();
  }

  release(): void {
    this.peer.release();
  }

  get upgrade(): Connection["upgrade"] {
    return this.peer.upgrade?.bind(this.peer);
  }

  get onClosing(): Connection["onClosing"] {
    return this.peer.onClosing?.bind(this.peer);
  }

  get remoteAddress(): string | null {
    return clientAddress(this.peer.remoteAddress, this.headers.get("x-forwarded-for"), this.proxies);
  }
}

export function clientAddress(peer: string | null, forwarded: string | null, proxies: IpRanges): string | null {
  let address = peer;
  const hops = forwarded === null ? [] : forwarded.split(",");
  while (address !== null && proxies.has(address)) {
    const hop = hops.pop();
    const next = hop === undefined ? null : addressOf(hop.trim());
    // A hop that is no address was not written by a proxy of ours: the last one that is known stands.
    if (next === null) return address;
    address = next;
  }
  return address;
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressOf(hop: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
  return isIP(bare) === 0 ? null : bare;
}
