import { BlockList, isIP } from "node:net";
import { GatewayError } from "../contract/errors.ts";

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

/** Everything that is not the public internet: this host, private and link-local nets, metadata services, multicast. */
const NOT_PUBLIC_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/** Of IPv6 only global unicast is public, less the ranges that carry an IPv4 address or are set aside. */
const PUBLIC_V6 = ["2000::/3"];
const NOT_PUBLIC_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16"];

const blockList = (subnets: readonly string[], family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = "", bits = ""] = subnet.split("/");
    list.addSubnet(net, Number(bits), family);
  }
  return list;
};
const closedV4 = blockList(NOT_PUBLIC_V4, "ipv4");
const openV6 = blockList(PUBLIC_V6, "ipv6");
const closedV6 = blockList(NOT_PUBLIC_V6, "ipv6");

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closedV4.check(address, "ipv4");
  if (family !== 6 || address.includes("%")) return false;
  return openV6.check(address, "ipv6") && !closedV6.check(address, "ipv6");
}

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
