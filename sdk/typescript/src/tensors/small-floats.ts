/** Floats of two bytes: how many bits their fraction has and which exponent is the smallest. */
interface Layout {
  readonly fraction: number;
  readonly lowest: number;
  readonly highest: number;
}

const LAYOUTS: Readonly<Record<"F16" | "BF16", Layout>> = {
  F16: { fraction: 10, lowest: -14, highest: 15 },
  BF16: { fraction: 7, lowest: -126, highest: 127 },
};

const probe = new DataView(new ArrayBuffer(8));

export function fromSmall(bits: number, kind: "F16" | "BF16"): number {
  const { fraction, lowest, highest } = LAYOUTS[kind];
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits & 0x7fff) >> fraction;
  const rest = bits & ((1 << fraction) - 1);
  if (exponent === 0) return sign * rest * 2 ** (lowest - fraction);
  if (exponent === highest - lowest + 2) return rest === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (rest + 2 ** fraction) * 2 ** (exponent - 1 + lowest - fraction);
}

/** Rounds once, to the nearest, ties to even. */
export function toSmall(value: number, kind: "F16" | "BF16"): number {
  const { fraction, lowest, highest } = LAYOUTS[kind];
  const infinite = (highest - lowest + 2) << fraction;
  if (Number.isNaN(value)) return infinite | (1 << (fraction - 1));
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === Number.POSITIVE_INFINITY) return sign | infinite;
  const exponent = Math.max(lowest, exponentOf(size));
  const scaled = roundToEven(size * 2 ** (fraction - exponent));
  // A fraction that rounds up to the next power carries into the exponent by itself.
  const bits = scaled + ((exponent - lowest) << fraction);
  return sign | Math.min(bits, infinite);
}

function exponentOf(value: number): number {
  probe.setFloat64(0, value);
  return ((probe.getUint32(0) >>> 20) & 0x7ff) - 1023;
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
