import { fromSmall, toSmall } from "../../../sdk/typescript/src/index.ts";

/** How many numbers share one scale. */
const CHUNK = 1024;

/** A change as 16-bit floats: half the size. */
export const packHalf = (change: Float32Array): Uint8Array =>
  new Uint8Array(Uint16Array.from(change, (value) => toSmall(value, "F16")).buffer);

export const unpackHalf = (bytes: Uint8Array): Float32Array =>
  Float32Array.from(new Uint16Array(new Uint8Array(bytes).buffer), (bits) => fromSmall(bits, "F16"));

/** A change as 8-bit integers with a scale for every 1,024: a quarter of the size. */
export function packInt8(change: Float32Array): Uint8Array {
  const chunks = Math.ceil(change.length / CHUNK);
  const out = new Uint8Array(chunks * 4 + change.length);
  const scales = new DataView(out.buffer);
  const values = new Int8Array(out.buffer, chunks * 4);
  for (let chunk = 0; chunk < chunks; chunk++) {
    const own = change.subarray(chunk * CHUNK, (chunk + 1) * CHUNK);
    const scale = Math.fround(own.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127);
    scales.setFloat32(chunk * 4, scale, true);
    own.forEach((value, at) => {
      values[chunk * CHUNK + at] = scale === 0 ? 0 : Math.max(-127, Math.min(127, Math.round(value / scale)));
    });
  }
  return out;
}

export function unpackInt8(bytes: Uint8Array, length: number): Float32Array {
  const chunks = Math.ceil(length / CHUNK);
  if (bytes.length !== chunks * 4 + length) throw new RangeError("the packed change has not the length of the model");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from(
    { length },
    (_, at) => view.getInt8(chunks * 4 + at) * view.getFloat32(Math.floor(at / CHUNK) * 4, true),
  );
}

/** The largest parts of a change, and what was left out, which its sender adds to the next one (error feedback). */
export function packLargest(
  change: Float32Array,
  share: number,
  left?: Float32Array,
): { bytes: Uint8Array; left: Float32Array } {
  const whole = Float32Array.from(change, (value, at) => value + (left?.[at] ?? 0));
  const keep = Math.max(1, Math.ceil(whole.length * share));
  const order = Uint32Array.from(whole, (_, at) => at).sort(
    (a, b) => Math.abs(whole[b] as number) - Math.abs(whole[a] as number) || a - b,
  );
  const kept = order.subarray(0, keep).sort();
  const out = new Uint8Array(keep * 8);
  const view = new DataView(out.buffer);
  kept.forEach((place, at) => {
    view.setUint32(at * 4, place, true);
    view.setFloat32(keep * 4 + at * 4, whole[place] as number, true);
    whole[place] = 0;
  });
  return { bytes: out, left: whole };
}

export function unpackLargest(bytes: Uint8Array, length: number): Float32Array {
  const keep = bytes.length / 8;
  if (!Number.isInteger(keep) || keep > length) throw new RangeError("the packed change has not a possible length");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = new Float32Array(length);
  let before = -1;
  for (let at = 0; at < keep; at++) {
    const place = view.getUint32(at * 4, true);
    if (place <= before || place >= length) throw new RangeError("the packed change names a place that cannot be");
    before = place;
    out[place] = view.getFloat32(keep * 4 + at * 4, true);
  }
  return out;
}
