import { unsupported } from "./format-error.ts";
import { DTYPE_BYTES, type Dtype, elementsOf, type Tensor } from "./tensor.ts";

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

const DTYPES: Readonly<Record<string, Dtype>> = {
  "|b1": "BOOL",
  "|u1": "U8",
  "|i1": "I8",
  "<u2": "U16",
  "<i2": "I16",
  "<f2": "F16",
  "<u4": "U32",
  "<i4": "I32",
  "<f4": "F32",
  "<u8": "U64",
  "<i8": "I64",
  "<f8": "F64",
};

export const looksLikeNpy = (bytes: Uint8Array): boolean =>
  bytes.length >= 10 && MAGIC.every((byte, at) => bytes[at] === byte);

/** Reads one array in row order; arrays of objects hold code and are never opened. */
export function readNpy(bytes: Uint8Array): Tensor {
  if (!looksLikeNpy(bytes)) throw unsupported("this is not npy");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const long = (bytes[6] ?? 0) >= 2;
  if (long && bytes.length < 12) throw unsupported("the npy is cut short");
  const start = long ? 12 : 10;
  const length = long ? view.getUint32(8, true) : view.getUint16(8, true);
  if (start + length > bytes.length) throw unsupported("the npy is cut short");
  const header = new TextDecoder("latin1").decode(bytes.subarray(start, start + length));
  const { dtype, shape } = readHeader(header);
  const data = bytes.subarray(start + length);
  if (data.length !== elementsOf(shape) * DTYPE_BYTES[dtype]) throw unsupported("the npy has not the length it says");
  return { dtype, shape, bytes: data };
}

export function writeNpy(tensor: Tensor): Uint8Array<ArrayBuffer> {
  const head = npyHead(tensor);
  const whole = new Uint8Array(head.length + tensor.bytes.length);
  whole.set(head);
  whole.set(tensor.bytes, head.length);
  return whole;
}

/** What stands before the numbers. */
export function npyHead({ dtype, shape }: Tensor): Uint8Array<ArrayBuffer> {
  const descr = Object.entries(DTYPES).find(([, own]) => own === dtype)?.[0];
  if (descr === undefined) throw unsupported(`npy has no ${dtype}`);
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const length = Math.ceil((10 + text.length + 1) / 64) * 64;
  const head = new Uint8Array(length);
  head.set([...MAGIC, 1, 0]);
  new DataView(head.buffer).setUint16(8, length - 10, true);
  head.set(new TextEncoder().encode(`${text.padEnd(length - 11)}\n`), 10);
  return head;
}

function readHeader(header: string): { dtype: Dtype; shape: number[] } {
  const descr = /'descr':\s*'([^']*)'/.exec(header)?.[1] ?? "";
  const order = /'fortran_order':\s*(True|False)/.exec(header)?.[1];
  const shape = /'shape':\s*\(([^)]*)\)/.exec(header)?.[1];
  if (order === undefined || shape === undefined) throw unsupported("the header of the npy cannot be read");
  const sizes = shape
    .split(",")
    .map((size) => size.trim())
    .filter((size) => size !== "");
  if (!sizes.every((size) => /^\d{1,15}$/.test(size))) throw unsupported("the shape of the npy cannot be read");
  const numbers = sizes.map(Number);
  if (order === "True" && numbers.length > 1) throw unsupported("the npy is in column order; row order is wanted");
  const dtype = Object.hasOwn(DTYPES, descr) ? DTYPES[descr] : undefined;
  if (dtype === undefined) throw unsupported(`the npy holds ${descr || "something"}, which is not read here`);
  if (!Number.isSafeInteger(elementsOf(numbers))) throw unsupported("the shape of the npy is too large");
  return { dtype, shape: numbers };
}
