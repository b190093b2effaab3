import { isIP } from "node:net";
import { GatewayError } from "../contract/errors.ts";
import { isPublicAddress } from "../lib/net/public-address.ts";

/** Resolves a host name to every address that it has. Injected, so that tests send no packet anywhere. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** An address that was checked, and where exactly to dial. */
export interface CheckedAddress {
  readonly url: string;
  /** The address to connect to in place of the name. */
  readonly dial: string;
  readonly host: string;
}

const PORTS = new Set(["", "80", "443", "8080", "8443"]);

/**
 * For addresses that a caller may influence: resolves once, refuses if any address is not public, and says which one to
 * dial, so that a second answer of the name server changes nothing.
 */
export async function checkAddress(
  text: string,
  resolve: Resolve,
  isOpenPort = (port: string): boolean => PORTS.has(port),
): Promise<CheckedAddress> {
  const url = parse(text, isOpenPort);
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const addresses = isIP(host) === 0 ? await lookUp(host, resolve) : [host];
  const [dial] = addresses;
  if (dial === undefined || !addresses.every(isPublicAddress)) throw refused("It does not lead to a public address.");
  return { url: url.href, dial, host };
}

function parse(text: string, isOpenPort: (port: string) => boolean): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refused("It is not a valid address.");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") throw refused("Only http and https can be called.");
  if (url.username !== "" || url.password !== "") throw refused("It must not hold a user name or password.");
  if (!isOpenPort(url.port)) throw refused(`The port ${url.port} is not allowed.`);
  return url;
}

async function lookUp(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch (cause) {
    throw new GatewayError("invalid_request", "The address of the request cannot be resolved.", { cause });
  }
}

const refused = (reason: string): GatewayError =>
  new GatewayError("permission", `The address that the request names may not be called. ${reason}`);
