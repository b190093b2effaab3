import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import { isPublicAddress } from "../lib/net/public-address.ts";
import { checkAddress } from "./address-guard.ts";

const PUBLIC = "93.184.216.34";
const never = (): Promise<string[]> => Promise.reject(new Error("asked the name server"));
const names =
  (addresses: Record<string, string[]>) =>
  async (host: string): Promise<string[]> =>
    addresses[host] ?? [];

describe("an address that a caller names", () => {
  test.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "１２７.0.0.1",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::1]",
    "[2002:7f00:1::]",
    "[2001:0:4136:e378::1]",
    "[fe80::1]",
    "[fec0::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[0:0:0:0:0:0:0:1]",
  ])("%s is refused without a question to the name server", async (host) => {
    await expect(checkAddress(`https://${host}/v1`, never)).rejects.toMatchObject({ kind: "permission" });
  });

  test.each([
    ["a name of this host", { localhost: ["127.0.0.1"] }, "localhost"],
    ["a private address", { "inner.example": ["10.0.0.7"] }, "inner.example"],
    ["one private address among public ones", { "mixed.example": [PUBLIC, "192.168.0.1"] }, "mixed.example"],
    ["only a private IPv6 address", { "six.example": ["fd00::1"] }, "six.example"],
    ["nothing", {}, "none.example"],
    ["the metadata service, with a dot at the end", { "meta.example": ["169.254.169.254"] }, "meta.example."],
  ])("a name that leads to %s is refused", async (_, answers, host) => {
    await expect(checkAddress(`https://${host}/`, names(answers as never))).rejects.toMatchObject({
      kind: "permission",
    });
  });

  test.each([
    "file:///etc/passwd",
    "gopher://example.com/",
    "data:text/plain,x",
    "ftp://example.com/",
    "unix:/tmp/socket",
    "https://user:pass@example.com/",
    "https://user@example.com/",
    "https://example.com:22/",
    "https://example.com:5432/",
    "https://example.com:6379/",
    "https://example.com:0/",
    "not an address",
    "",
    "//example.com",
  ])("%s is refused for its form", async (url) => {
    await expect(checkAddress(url, never)).rejects.toMatchObject({ kind: "permission" });
  });

  test("that is public is dialled exactly where it was checked", async () => {
    let asked = 0;
    const flipping = async (): Promise<string[]> => (asked++ === 0 ? [PUBLIC] : ["127.0.0.1"]);
    expect(await checkAddress("https://api.example.com/v1", flipping)).toEqual({
      url: "https://api.example.com/v1",
      dial: PUBLIC,
      host: "api.example.com",
    });
    expect(asked).toBe(1);
  });
});

/** Written from the registries' prose rather than from the list above, so that one can be wrong without the other. */
function referencePublicV4(a: number, b: number, c: number, d: number): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 100 && b >= 64 && b <= 127) return false;
  if (a === 169 && b === 254) return false;
  if (a === 172 && b >= 16 && b <= 31) return false;
  if (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99))) return false;
  if (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) return false;
  if (a === 203 && b === 0 && c === 113) return false;
  return !(a === 168 && b === 63 && c === 129 && d === 16);
}

test("the classification of IPv4 equals a second one, for any address and for those at the edges", () => {
  const byte = fc.oneof(
    fc.nat(255),
    fc.constantFrom(
      0,
      2,
      10,
      15,
      16,
      18,
      19,
      31,
      51,
      63,
      64,
      88,
      99,
      100,
      113,
      127,
      128,
      129,
      168,
      169,
      172,
      192,
      198,
      203,
      223,
      224,
      254,
    ),
  );
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      expect(isPublicAddress(`${a}.${b}.${c}.${d}`)).toBe(referencePublicV4(a, b, c, d));
    }),
    { numRuns: runs(20_000) },
  );
});

test("an IPv6 address that carries an IPv4 address is never public", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      for (const prefix of ["::ffff:", "::", "64:ff9b::"]) expect(isPublicAddress(prefix + address)).toBe(false);
    }),
  );
});

test("what is no address is not public", () => {
  for (const text of ["", "x", "1.2.3", "fe80::1%eth0", "2606:4700::1%1"]) expect(isPublicAddress(text)).toBe(false);
  expect(isPublicAddress("2606:4700::1111")).toBe(true);
});
