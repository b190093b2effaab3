import { FormatError } from "../tensors/format-error.ts";
import { fromSmall, toSmall } from "../tensors/small-floats.ts";
import { asFloat32, type Dtype, float32, type Tensor, type Tensors } from "../tensors/tensor.ts";
import type { PackForm } from "./pack-form.ts";

/** How many numbers share one scale. */
const CHUNK = 1024;
const HALF_MAX = 65_504;
const NAMES = {
  f16: "delta.f16",
  int8: "delta.int8",
  scales: "delta.scales",
  places: "delta.places",
  values: "delta.values",
} as const;

const mismatch = (message: string) => new FormatError("shape_mismatch", message);

/** Packs a change as tensors, and gives what was left out of it, which is added to the next change. */
export function packChange(change: Float32Array, form: PackForm): { tensors: Tensors; left: Float32Array | null } {
  if (form.form === "f16") return { tensors: new Map([[NAMES.f16, packHalf(change)]]), left: null };
  if (form.form === "int8") return { tensors: packInt8(change), left: null };
  return packLargest(change, form.share);
}

function packHalf(change: Float32Array): Tensor {
  const bits = Uint16Array.from(change, (value) => toSmall(Math.max(-HALF_MAX, Math.min(HALF_MAX, value)), "F16"));
  return tensorOf("F16", bits);
}

function packInt8(change: Float32Array): Tensors {
  const scales = new Float32Array(Math.ceil(change.length / CHUNK));
  const values = new Int8Array(change.length);
  for (let chunk = 0; chunk < scales.length; chunk++) {
    const end = Math.min(change.length, (chunk + 1) * CHUNK);
    let most = 0;
    for (let at = chunk * CHUNK; at < end; at++) most = Math.max(most, Math.abs(change[at] as number));
    const scale = Math.fround(most / 127);
    scales[chunk] = scale;
    if (scale === 0) continue;
    for (let at = chunk * CHUNK; at < end; at++) {
      const step = Math.floor((change[at] as number) / scale + 0.5);
      values[at] = Math.max(-127, Math.min(127, step));
    }
  }
  return new Map([
    [NAMES.int8, tensorOf("I8", values)],
    [NAMES.scales, float32(scales)],
  ]);
}

/** Of two that are equally large the first one is taken. */
function packLargest(change: Float32Array, share: number): { tensors: Tensors; left: Float32Array } {
  const keep = Math.max(1, Math.ceil(change.length * share));
  const sizes = change.map(Math.abs).sort();
  const least = sizes[sizes.length - keep] as number;
  let equal = keep - sizes.reduce((count, size) => count + (size > least ? 1 : 0), 0);
  const [places, values, left] = [new Uint32Array(keep), new Float32Array(keep), change.slice()];
  let at = 0;
  for (let place = 0; place < change.length; place++) {
    const size = Math.abs(change[place] as number);
    if (size < least || (size === least && equal-- <= 0)) continue;
    places[at] = place;
    values[at++] = change[place] as number;
    left[place] = 0;
  }
  const tensors = new Map([
    [NAMES.places, tensorOf("U32", places)],
    [NAMES.values, float32(values)],
  ]);
  return { tensors, left };
}

function tensorOf(dtype: Dtype, array: Int8Array | Uint16Array | Uint32Array): Tensor {
  return { dtype, shape: [array.length], bytes: new Uint8Array(array.buffer, array.byteOffset, array.byteLength) };
}

/** A change that was packed. It is unpacked from `start` on, as many numbers as there is room for, in rising order. */
export interface PackedChange {
  readonly form: PackForm["form"];
  add(start: number, to: Float32Array): void;
}

/** The packed change that the tensors hold, for a model of so many floats; null where they are something else. */
export function readPacked(tensors: Tensors, length: number): PackedChange | null {
  const { f16, int8, scales, places, values } = Object.fromEntries(
    Object.entries(NAMES).map(([name, own]) => [name, tensors.get(own)]),
  ) as Record<keyof typeof NAMES, Tensor | undefined>;
  if (f16?.dtype === "F16" && tensors.size === 1) return readHalf(f16, length);
  if (tensors.size !== 2) return null;
  if (int8?.dtype === "I8" && scales?.dtype === "F32") return readInt8(int8, asFloat32(scales), length);
  if (places?.dtype === "U32" && values?.dtype === "F32") return readLargest(places, asFloat32(values), length);
  return null;
}

function readHalf({ bytes }: Tensor, length: number): PackedChange {
  if (bytes.length !== length * 2) throw mismatch("the packed change has not the length of the model");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    form: "f16",
    add(start, to) {
      for (let at = 0; at < to.length; at++) {
        to[at] = (to[at] as number) + fromSmall(view.getUint16((start + at) * 2, true), "F16");
      }
    },
  };
}

function readInt8({ bytes }: Tensor, scales: Float32Array, length: number): PackedChange {
  if (bytes.length !== length || scales.length !== Math.ceil(length / CHUNK)) {
    throw mismatch("the packed change has not the length of the model");
  }
  const steps = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    form: "int8",
    add(start, to) {
      for (let at = 0; at < to.length; at++) {
        const scale = scales[Math.floor((start + at) / CHUNK)] as number;
        to[at] = (to[at] as number) + Math.fround((steps[start + at] as number) * scale);
      }
    },
  };
}

function readLargest({ bytes }: Tensor, values: Float32Array, length: number): PackedChange {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const placeOf = (at: number) => view.getUint32(at * 4, true);
  if (bytes.length !== values.length * 4) throw mismatch("the packed change has not as many values as places");
  for (let at = 0; at < values.length; at++) {
    if (placeOf(at) >= length || (at > 0 && placeOf(at) <= placeOf(at - 1))) {
      throw mismatch("the packed change names a place that cannot be");
    }
  }
  let next = 0;
  return {
    form: "top_k",
    add(start, to) {
      for (; next < values.length && placeOf(next) < start + to.length; next++) {
        const at = placeOf(next) - start;
        to[at] = (to[at] as number) + (values[next] as number);
      }
    },
  };
}
