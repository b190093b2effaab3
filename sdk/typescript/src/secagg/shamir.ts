import { randomSource } from "./random-source.ts";

/** The first prime above 2^256, so that any 32 bytes are an element of its field. */
const PRIME = 2n ** 256n + 297n;

export const SECRET_BYTES = 32;
export const SHARE_BYTES = 33;
/** Random bytes for one coefficient: so many more than the prime has that no element is likelier than another. */
const COEFFICIENT_BYTES = 48;

/** One share of a secret for every place (1, 2, ...): any `threshold` of them give it back, fewer tell nothing. */
export function splitSecret(secret: Uint8Array, threshold: number, places: readonly number[]): Uint8Array[] {
  const drawn = randomSource.bytes(COEFFICIENT_BYTES * (threshold - 1));
  const coefficients = Array.from({ length: threshold - 1 }, (_, at) =>
    modulo(toInteger(drawn.subarray(at * COEFFICIENT_BYTES, (at + 1) * COEFFICIENT_BYTES))),
  );
  const polynomial = [toInteger(secret), ...coefficients];
  return places.map((place) => {
    const x = BigInt(place);
    return toBytes(
      polynomial.reduceRight((sum, coefficient) => (sum * x + coefficient) % PRIME, 0n),
      SHARE_BYTES,
    );
  });
}

/** How much the share of each place counts at zero. The same places serve for any number of secrets. */
export function weightsAtZero(places: readonly number[]): bigint[] {
  return places.map((place) => {
    let [above, below] = [1n, 1n];
    for (const other of places) {
      if (other === place) continue;
      above = (above * BigInt(other)) % PRIME;
      below = modulo(below * BigInt(other - place));
    }
    return (above * inverse(below)) % PRIME;
  });
}

/** The secret behind as many shares as there are weights; null when they do not fit together. */
export function combineShares(shares: readonly Uint8Array[], weights: readonly bigint[]): Uint8Array | null {
  const sum = shares.reduce((total, share, at) => (total + toInteger(share) * (weights[at] as bigint)) % PRIME, 0n);
  return sum < 2n ** 256n ? toBytes(sum, SECRET_BYTES) : null;
}

const modulo = (value: bigint): bigint => ((value % PRIME) + PRIME) % PRIME;

/** By Fermat's little theorem. */
function inverse(value: bigint): bigint {
  let [result, base, exponent] = [1n, value, PRIME - 2n];
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % PRIME;
    base = (base * base) % PRIME;
  }
  return result;
}

const toInteger = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString("hex")}`);

const toBytes = (value: bigint, length: number): Uint8Array =>
  new Uint8Array(Buffer.from(value.toString(16).padStart(length * 2, "0"), "hex"));
