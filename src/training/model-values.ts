import {
  asFloat32,
  type Format,
  FormatError,
  fromSmall,
  readTensors,
  sniffFormat,
  type Tensor,
  type Tensors,
  tensorPieces,
  toSmall,
  withMetadata,
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
  /** The texts of the safetensors; absent where it has none. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tensors: ReadonlyArray<{ readonly name: string; readonly tensor: Tensor; readonly floats: boolean }>;
}

const unsupported = (message: string) => new FormatError("unsupported_format", message);

/** How a model is laid out whose floats have 32 bits or fewer. Integers are kept beside; they are not averaged. */
export function layoutOf(bytes: Uint8Array, shape: readonly number[] | null = null, unpackedMax?: number): Layout {
  const named = readTensors(bytes, shape, unpackedMax);
  const tensors = [...named].map(([name, tensor]) => ({
    name,
    tensor,
    floats: FLOATS.has(tensor.dtype),
  }));
  const doubles = tensors.find(({ tensor }) => tensor.dtype === "F64");
  if (doubles) throw unsupported(`${doubles.name} is F64; the built-in strategies take floats of 32 bits or fewer`);
  if (countOfFloats(tensors) === 0) throw unsupported("the model has no floats that could be averaged");
  const { metadata } = named;
  return {
    format: shape === null ? sniffFormat(bytes) : "f32le",
    tensors,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

export const lengthOfLayout = ({ tensors }: Layout): number => countOfFloats(tensors);

export function readModel(
  bytes: Uint8Array,
  shape: readonly number[] | null = null,
  unpackedMax?: number,
): ModelValues {
  const layout = layoutOf(bytes, shape, unpackedMax);
  const values = new Float32Array(lengthOfLayout(layout));
  let at = 0;
  for (const piece of floatPieces(layout)) {
    values.set(piece, at);
    at += piece.length;
  }
  return { values, layout };
}

/** Why no run can begin with these bytes; null where one can. */
export function faultOfModel(bytes: Uint8Array, shape: readonly number[] | null, unpackedMax?: number): string | null {
  try {
    const { values } = readModel(bytes, shape, unpackedMax);
    return values.every((value) => Number.isFinite(value)) ? null : "not all of its numbers are finite";
  } catch (thrown) {
    if (thrown instanceof FormatError) return thrown.message;
    throw thrown;
  }
}

/** The floats of every tensor, one after the other. */
export function* floatPieces({ tensors }: Layout): Generator<Float32Array> {
  for (const { tensor, floats } of tensors) if (floats) yield floatsOf(tensor);
}

/** Where in the bytes all floats stand in one row, ready to be read; -1 where they do not. */
export function rowOfFloats(bytes: Uint8Array, { tensors }: Layout): number {
  const floats = tensors.filter((one) => one.floats).map(({ tensor }) => tensor);
  const start = (floats[0]?.bytes.byteOffset ?? 0) - bytes.byteOffset;
  let next = start;
  for (const { dtype, bytes: own } of floats) {
    if (dtype !== "F32" || own.buffer !== bytes.buffer || own.byteOffset - bytes.byteOffset !== next) return -1;
    next += own.length;
  }
  return start;
}

/** The bytes of a model in pieces, without a copy where the floats have 32 bits. */
export const modelPieces = (model: ModelValues): Uint8Array[] => tensorPieces(tensorsOf(model), model.layout.format);

function tensorsOf({ values, layout }: ModelValues): Tensors {
  let at = 0;
  const tensors = new Map<string, Tensor>();
  for (const { name, tensor, floats } of layout.tensors) {
    const own = values.subarray(at, at + (floats ? countOf(tensor) : 0));
    tensors.set(name, floats ? { ...tensor, bytes: bytesOf(own, tensor.dtype as Float) } : tensor);
    at += own.length;
  }
  return withMetadata(tensors, layout);
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
const countOfFloats = (tensors: Layout["tensors"]): number =>
  tensors.reduce((sum, { tensor, floats }) => sum + (floats ? countOf(tensor) : 0), 0);
const countOf = ({ dtype, bytes }: Tensor): number => bytes.length / WIDTH[dtype as Float];

function floatsOf(tensor: Tensor): Float32Array {
  const { dtype, bytes } = tensor;
  if (dtype === "F32") return asFloat32(tensor);
  // Not slice(): of a Buffer that is no copy.
  const { buffer } = new Uint8Array(bytes);
  return Float32Array.from(new Uint16Array(buffer), (bits) => fromSmall(bits, dtype as "F16" | "BF16"));
}

/** The largest numbers of the small floats. */
const SMALL_MAX: Readonly<Record<"F16" | "BF16", number>> = { F16: 65_504, BF16: (2 - 2 ** -7) * 2 ** 127 };

/** What is beyond the small floats is cut: with an infinity in its model a run could not go on. */
function bytesOf(values: Float32Array, dtype: Float): Uint8Array {
  if (dtype === "F32") return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const most = SMALL_MAX[dtype];
  const cut = (value: number) => Math.max(-most, Math.min(most, value));
  return new Uint8Array(Uint16Array.from(values, (value) => toSmall(cut(value), dtype)).buffer);
}
