/** The kinds of numbers that safetensors knows, and how many bytes each takes. */
export const DTYPE_BYTES = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  U16: 2,
  I16: 2,
  F16: 2,
  BF16: 2,
  U32: 4,
  I32: 4,
  F32: 4,
  U64: 8,
  I64: 8,
  F64: 8,
} as const;

export type Dtype = keyof typeof DTYPE_BYTES;

/** One tensor: its bytes are little-endian and in row order. */
export interface Tensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Tensors by name, in the order in which they are written. */
export interface Tensors extends ReadonlyMap<string, Tensor> {
  /** The `__metadata__` of the safetensors that they were read from. It is written again with them. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Adds the metadata of other tensors to these. */
export const withMetadata = (tensors: ReadonlyMap<string, Tensor>, { metadata }: Pick<Tensors, "metadata">): Tensors =>
  metadata === undefined ? tensors : Object.assign(tensors, { metadata });

/** A tensor of 32-bit floats. */
export function float32(values: Float32Array | readonly number[], shape?: readonly number[]): Tensor {
  const array = values instanceof Float32Array ? values : Float32Array.from(values);
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  return { dtype: "F32", shape: shape ?? [array.length], bytes };
}

/** The values of a tensor of 32-bit floats, without a copy where the bytes lie well. */
export function asFloat32(tensor: Tensor): Float32Array {
  if (tensor.dtype !== "F32") throw new TypeError(`a tensor of ${tensor.dtype} is not one of F32`);
  const { bytes } = tensor;
  if (bytes.byteOffset % 4 === 0) return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  return new Float32Array(new Uint8Array(bytes).buffer);
}

export const elementsOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

export function isTensors(value: unknown): value is Tensors {
  if (!(value instanceof Map)) return false;
  return [...value.values()].every((tensor) => tensor?.bytes instanceof Uint8Array && tensor.dtype in DTYPE_BYTES);
}
