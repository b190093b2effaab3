import { BlockList, isIP } from "node:net";

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

/** IPv6: only global unicast is public, without the ranges that carry an IPv4 address or are reserved. */
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

/** Whether an IP address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closedV4.check(address, "ipv4");
  if (family !== 6 || address.includes("%")) return false;
  return openV6.check(address, "ipv6") && !closedV6.check(address, "ipv6");
}

/** Names that no public name server knows: of this machine, a local network, or a cluster. */
const PRIVATE_NAME = /^[^.]+$|\.(localhost|local|internal|lan|intranet|localdomain|svc|home\.arpa)$/i;

/** Whether an address can only be this machine or one in its network. False for a name that has to be resolved. */
export function isPrivateUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return isIP(host) === 0 ? PRIVATE_NAME.test(host) : !isPublicAddress(host);
}
