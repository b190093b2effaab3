import { FormatError } from "../tensors/format-error.ts";
import { readTensors } from "../tensors/read-tensors.ts";
import { writeSafetensors } from "../tensors/safetensors.ts";
import { fromSmall } from "../tensors/small-floats.ts";
import { asFloat32, type Tensor, type Tensors } from "../tensors/tensor.ts";
import { packChange } from "./pack-change.ts";
import type { PackForm } from "./pack-form.ts";

const FLOATS: ReadonlySet<string> = new Set(["F32", "F16", "BF16"]);

export interface PackedUpdate {
  /** The packed change, as safetensors. */
  readonly parameters: Uint8Array;
  /** What was left out, to be handed in with the next update; null where nothing was. */
  readonly left: Float32Array | null;
}

/**
 * What training changed, packed. Null where it cannot be: formats that are not read here, models that differ in more than
 * their numbers, numbers that are not finite. Then the whole model is sent.
 */
export function packUpdate(
  before: Uint8Array,
  after: Uint8Array,
  form: PackForm,
  left: Float32Array | null = null,
): PackedUpdate | null {
  const change = changeBetween(read(before), read(after));
  if (change === null) return null;
  if (form.form === "top_k" && left?.length === change.length) {
    for (let at = 0; at < change.length; at++) change[at] = (change[at] as number) + (left[at] as number);
  }
  if (!change.every(Number.isFinite)) return null;
  const { tensors, left: rest } = packChange(change, form);
  return { parameters: writeSafetensors(tensors), left: rest };
}

function read(bytes: Uint8Array): Tensors | null {
  try {
    return readTensors(bytes);
  } catch (thrown) {
    if (thrown instanceof FormatError) return null;
    throw thrown;
  }
}

function changeBetween(before: Tensors | null, after: Tensors | null): Float32Array | null {
  if (before === null || after === null || before.size !== after.size) return null;
  const parts: Float32Array[] = [];
  for (const [name, tensor] of before) {
    const own = after.get(name);
    if (own?.dtype !== tensor.dtype || own.shape.join() !== tensor.shape.join() || own.dtype === "F64") return null;
    if (FLOATS.has(own.dtype)) parts.push(differenceOf(floatsOf(own), floatsOf(tensor)));
    else if (!isSame(own.bytes, tensor.bytes)) return null;
  }
  const change = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    change.set(part, at);
    at += part.length;
  }
  return at === 0 ? null : change;
}

const differenceOf = (to: Float32Array, from: Float32Array): Float32Array =>
  Float32Array.from(to, (value, at) => value - (from[at] as number));

function floatsOf(tensor: Tensor): Float32Array {
  const { dtype, bytes } = tensor;
  if (dtype === "F32") return asFloat32(tensor);
  const bits = new Uint16Array(new Uint8Array(bytes).buffer);
  return Float32Array.from(bits, (half) => fromSmall(half, dtype as "F16" | "BF16"));
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, at) => byte === b[at]);
