import { isIP } from "node:net";

/** An address as a number. An IPv4 address that is written inside IPv6 (`::ffff:192.0.2.1`) is the IPv4 address. */
interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** All addresses whose first `prefix` bits are those of `base`, whose other bits are zero. */
export interface IpRange {
  readonly family: 4 | 6;
  readonly base: bigint;
  readonly prefix: number;
}

export interface IpRanges {
  /** As they were written. */
  readonly list: readonly string[];
  has(address: string): boolean;
}

const MAPPED_PREFIX = 96;
const MAPPED = 0xffffn;
const NETWORK_PREFIX = 64;
const SITE_PREFIX = 48;

/** One address or one CIDR range; null when it is neither. Bits behind the prefix are ignored: `10.1.2.3/8` is `10.0.0.0/8`. */
export function parseRange(text: string): IpRange | null {
  const slash = text.indexOf("/");
  const written = slash < 0 ? text : text.slice(0, slash);
  const family = isIP(written);
  if (family === 0 || written.includes("%")) return null;
  const bits = slash < 0 ? bitsOf(family) : readPrefix(text.slice(slash + 1));
  if (bits === null || bits > bitsOf(family)) return null;
  const value = family === 4 ? readV4(written) : readV6(written);
  const isMapped = family === 6 && bits >= MAPPED_PREFIX && value >> 32n === MAPPED;
  if (isMapped) return toRange(4, value & 0xffffffffn, bits - MAPPED_PREFIX);
  return toRange(family === 4 ? 4 : 6, value, bits);
}

/** The one way in which we write a range: two ranges are the same when their texts are. */
export function formatRange({ family, base, prefix }: IpRange): string {
  const address = family === 4 ? formatV4(base) : formatV6(base);
  return prefix === bitsOf(family) ? address : `${address}/${prefix}`;
}

/** What cannot be read matches nothing, so that a damaged list never opens more than was meant. */
export function compileRanges(list: readonly string[]): IpRanges {
  const ranges = list.map(parseRange).filter((range) => range !== null);
  return {
    list,
    has(text) {
      const address = parseAddress(text);
      return address !== null && ranges.some((range) => contains(range, address));
    },
  };
}

/** What counts as one caller: an IPv4 address, or the /64 network of an IPv6 one, whose owner has all of it. */
export const networkOf = (text: string): string => rangeAround(text, NETWORK_PREFIX);

/** What one customer of a provider may have: an IPv4 address, or a /48 with its 65,536 networks. */
export const siteOf = (text: string): string => rangeAround(text, SITE_PREFIX);

function rangeAround(text: string, prefixV6: number): string {
  const address = parseAddress(text);
  if (!address) return text;
  return formatRange(toRange(address.family, address.value, address.family === 4 ? 32 : prefixV6));
}

/** A zone (`fe80::1%eth0`) says through which card a packet came, not from whom. */
function parseAddress(text: string): IpAddress | null {
  const zone = text.indexOf("%");
  const range = parseRange(zone < 0 ? text : text.slice(0, zone));
  if (!range || range.prefix !== bitsOf(range.family)) return null;
  return { family: range.family, value: range.base };
}

const contains = ({ family, base, prefix }: IpRange, address: IpAddress): boolean =>
  family === address.family && (base ^ address.value) >> BigInt(bitsOf(family) - prefix) === 0n;

const bitsOf = (family: number): number => (family === 4 ? 32 : 128);

function toRange(family: 4 | 6, value: bigint, prefix: number): IpRange {
  const free = BigInt(bitsOf(family) - prefix);
  return { family, base: (value >> free) << free, prefix };
}

const readPrefix = (text: string): number | null => (/^(?:0|[1-9]\d{0,2})$/.test(text) ? Number(text) : null);

const readV4 = (text: string): bigint => text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);

/** For text that `isIP` has called IPv6. */
function readV6(text: string): bigint {
  const [head = "", tail] = text.split("::");
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = new Array<bigint>(Math.max(0, 8 - before.length - after.length)).fill(0n);
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | group, 0n);
}

function groups(text: string): bigint[] {
  if (text === "") return [];
  return text.split(":").flatMap((part) => {
    if (!part.includes(".")) return [BigInt(`0x${part}`)];
    const value = readV4(part);
    return [value >> 16n, value & 0xffffn];
  });
}

const formatV4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join(".");

/** As RFC 5952 has it: lower case, the longest run of two or more zero groups left out, the first of equal ones. */
function formatV6(value: bigint): string {
  const parts = Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(112 - 16 * index)) & MAPPED));
  const run = longestZeroRun(parts);
  const hex = (list: readonly number[]): string => list.map((part) => part.toString(16)).join(":");
  if (run.length < 2) return hex(parts);
  return `${hex(parts.slice(0, run.start))}::${hex(parts.slice(run.start + run.length))}`;
}

function longestZeroRun(parts: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [index, part] of parts.entries()) {
    length = part === 0 ? length + 1 : 0;
    if (length > best.length) best = { start: index - length + 1, length };
  }
  return best;
}
