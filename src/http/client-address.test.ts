import { describe, expect, test } from "bun:test";
import { compileRanges } from "../lib/ip-range.ts";
import { clientAddress } from "./client-address.ts";

const PROXIES = compileRanges(["10.0.0.0/8", "fd00::/8"]);

describe("the address of a caller", () => {
  test.each([
    ["without a proxy", "192.0.2.1", null, "192.0.2.1"],
    ["who writes the header themselves", "192.0.2.1", "203.0.113.9", "192.0.2.1"],
    ["behind one proxy", "10.0.0.1", "192.0.2.1", "192.0.2.1"],
    ["behind two proxies", "10.0.0.1", "192.0.2.1, 10.0.0.2", "192.0.2.1"],
    ["who wrote the header before the proxy did", "10.0.0.1", "203.0.113.9, 192.0.2.1", "192.0.2.1"],
    ["who claims to be a proxy", "10.0.0.1", "203.0.113.9, 10.0.0.7, 192.0.2.1", "192.0.2.1"],
    ["of a proxy itself", "10.0.0.1", null, "10.0.0.1"],
    ["in the proxies' own network", "10.0.0.1", "10.0.0.5, 10.0.0.2", "10.0.0.5"],
    ["with a port", "10.0.0.1", "192.0.2.1:4711", "192.0.2.1"],
    ["over IPv6", "fd00::1", "2001:db8::1", "2001:db8::1"],
    ["over IPv6 with a port", "fd00::1", "[2001:db8::1]:4711", "2001:db8::1"],
    ["as IPv4 inside IPv6", "::ffff:10.0.0.1", "192.0.2.1", "192.0.2.1"],
    ["who sent something else", "10.0.0.1", "localhost", "10.0.0.1"],
    ["who sent nothing between commas", "10.0.0.1", "192.0.2.1, ", "10.0.0.1"],
    ["who sent something else before a proxy", "10.0.0.1", "unknown, 10.0.0.2", "10.0.0.2"],
    ["that is not known", null, "192.0.2.1", null],
  ])("%s", (_, peer, forwarded, expected) => {
    expect(clientAddress(peer, forwarded, PROXIES)).toBe(expected);
  });
});
