import { FormatError } from "./format-error.ts";
import { readTensors, sniffFormat, writeTensors } from "./read-tensors.ts";
import { fromSmall, toSmall } from "./small-floats.ts";
import { type Tensor, type Tensors, withMetadata } from "./tensor.ts";

const FLOATS = new Set(["F16", "BF16", "F32", "F64"]);

/**
 * The weighted mean of models: summed in float64 in the order of the list and rounded once, so that every machine gives
 * the same bytes. Integers and booleans are not averaged: those of the first model stand. With a shape the models are bare floats.
 */
export function weightedMean(
  models: readonly Uint8Array[],
  weights?: readonly number[] | null,
  shape?: readonly number[] | null,
): Uint8Array {
  const [first] = models;
  if (first === undefined) throw new FormatError("shape_mismatch", "there is no model to take the mean of");
  const factors = weights ?? models.map(() => 1);
  const total = factors.reduce((sum, weight) => sum + weight, 0);
  if (factors.length !== models.length || !factors.every((weight) => weight >= 0) || !(total > 0)) {
    throw new RangeError("weights are as many numbers as there are models, none negative, not all zero");
  }
  const read = models.map((model) => readTensors(model, shape));
  const [base] = read as [Tensors];
  read.forEach((tensors, at) => {
    checkAlike(base, tensors, at);
  });
  const mean = new Map<string, Tensor>();
  for (const [name, tensor] of base) {
    const same = read.map((tensors) => tensors.get(name) as Tensor);
    mean.set(name, FLOATS.has(tensor.dtype) ? meanOf(name, same, factors, total) : tensor);
  }
  return writeTensors(withMetadata(mean, base), shape ? "f32le" : sniffFormat(first));
}

function checkAlike(base: Tensors, tensors: Tensors, at: number): void {
  const wrong = (why: string) => new FormatError("shape_mismatch", `model ${at} differs from the first: ${why}`);
  if (tensors.size !== base.size) throw wrong(`it has ${tensors.size} tensors, not ${base.size}`);
  for (const [name, { dtype, shape }] of base) {
    const own = tensors.get(name);
    if (own === undefined) throw wrong(`it has no tensor ${name}`);
    if (own.dtype !== dtype) throw wrong(`${name} is ${own.dtype}, not ${dtype}`);
    if (own.shape.join() !== shape.join()) throw wrong(`${name} is [${own.shape}], not [${shape}]`);
  }
}

function meanOf(name: string, tensors: readonly Tensor[], weights: readonly number[], total: number): Tensor {
  const [{ dtype, shape, bytes }] = tensors as [Tensor];
  const count = bytes.length / BYTES[dtype as Float];
  const sums = new Float64Array(count);
  tensors.forEach((tensor, model) => {
    const values = valuesOf(tensor);
    const weight = weights[model] ?? 0;
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      if (!Number.isFinite(value)) throw new FormatError("not_finite", `model ${model} has NaN or infinity in ${name}`);
      sums[i] = (sums[i] as number) + weight * value;
    }
  });
  for (let i = 0; i < count; i++) sums[i] = (sums[i] as number) / total;
  return { dtype, shape, bytes: toBytes(sums, dtype as Float) };
}

type Float = "F16" | "BF16" | "F32" | "F64";
const BYTES: Readonly<Record<Float, number>> = { F16: 2, BF16: 2, F32: 4, F64: 8 };

function valuesOf({ dtype, bytes }: Tensor): Float32Array | Float64Array {
  const { buffer, byteOffset } = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  if (dtype === "F32") return new Float32Array(buffer, byteOffset, bytes.length / 4);
  if (dtype === "F64") return new Float64Array(buffer, byteOffset, bytes.length / 8);
  const kind = dtype === "F16" ? "F16" : "BF16";
  return Float64Array.from(new Uint16Array(buffer, byteOffset, bytes.length / 2), (bits) => fromSmall(bits, kind));
}

function toBytes(values: Float64Array, dtype: Float): Uint8Array {
  if (dtype === "F64") return new Uint8Array(values.buffer);
  if (dtype === "F32") return new Uint8Array(Float32Array.from(values).buffer);
  return new Uint8Array(Uint16Array.from(values, (value) => toSmall(value, dtype)).buffer);
}
