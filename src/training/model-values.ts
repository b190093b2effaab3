import {
  type Format,
  FormatError,
  fromSmall,
  readTensors,
  sniffFormat,
  type Tensor,
  toSmall,
  writeTensors,
} from "../../sdk/typescript/src/index.ts";

type Float = "F32" | "F16" | "BF16";
const FLOATS: ReadonlySet<string> = new Set<Float>(["F32", "F16", "BF16"]);

/** A model as one row of numbers, and what is needed to write it again. */
export interface ModelValues {
  readonly values: Float32Array;
  readonly layout: Layout;
}

export interface Layout {
  readonly format: Format;
  readonly tensors: ReadonlyArray<{ readonly name: string; readonly tensor: Tensor; readonly floats: boolean }>;
}

const unsupported = (message: string) => new FormatError("unsupported_format", message);

/** Reads a model whose floats have 32 bits or fewer. Integers are kept beside; they are not averaged. */
export function readModel(bytes: Uint8Array): ModelValues {
  const tensors = [...readTensors(bytes)].map(([name, tensor]) => ({ name, tensor, floats: FLOATS.has(tensor.dtype) }));
  const doubles = tensors.find(({ tensor }) => tensor.dtype === "F64");
  if (doubles) throw unsupported(`${doubles.name} is F64; the built-in strategies take floats of 32 bits or fewer`);
  const values = new Float32Array(tensors.reduce((sum, one) => sum + (one.floats ? countOf(one.tensor) : 0), 0));
  let at = 0;
  for (const { tensor, floats } of tensors) {
    if (!floats) continue;
    values.set(floatsOf(tensor), at);
    at += countOf(tensor);
  }
  if (at === 0) throw unsupported("the model has no floats that could be averaged");
  return { values, layout: { format: sniffFormat(bytes), tensors } };
}

export function writeModel({ values, layout }: ModelValues): Uint8Array<ArrayBuffer> {
  let at = 0;
  const tensors = new Map<string, Tensor>();
  for (const { name, tensor, floats } of layout.tensors) {
    const own = values.subarray(at, at + (floats ? countOf(tensor) : 0));
    tensors.set(name, floats ? { ...tensor, bytes: bytesOf(own, tensor.dtype as Float) } : tensor);
    at += own.length;
  }
  return writeTensors(tensors, layout.format);
}

/** Why an update cannot be taken for one of this model; null when it can. */
export function differenceOf(base: Layout, own: Layout): string | null {
  if (own.tensors.length !== base.tensors.length) {
    return `it has ${own.tensors.length} tensors, not ${base.tensors.length}`;
  }
  for (const [at, { name, tensor }] of base.tensors.entries()) {
    const other = own.tensors[at];
    if (other?.name !== name) return `it has no tensor ${name} in its place`;
    if (other.tensor.dtype !== tensor.dtype) return `${name} is ${other.tensor.dtype}, not ${tensor.dtype}`;
    if (other.tensor.shape.join() !== tensor.shape.join()) {
      return `${name} is [${other.tensor.shape}], not [${tensor.shape}]`;
    }
  }
  return null;
}

const WIDTH: Readonly<Record<Float, number>> = { F32: 4, F16: 2, BF16: 2 };
const countOf = ({ dtype, bytes }: Tensor): number => bytes.length / WIDTH[dtype as Float];

function floatsOf({ dtype, bytes }: Tensor): Float32Array {
  // Not slice(): of a Buffer that is no copy.
  const { buffer } = new Uint8Array(bytes);
  if (dtype === "F32") return new Float32Array(buffer);
  return Float32Array.from(new Uint16Array(buffer), (bits) => fromSmall(bits, dtype as "F16" | "BF16"));
}

function bytesOf(values: Float32Array, dtype: Float): Uint8Array {
  if (dtype === "F32") return new Uint8Array(values.slice().buffer);
  return new Uint8Array(Uint16Array.from(values, (value) => toSmall(value, dtype)).buffer);
}
