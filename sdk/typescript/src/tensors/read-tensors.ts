import { unsupported } from "./format-error.ts";
import { looksLikeNpy, npyHead, readNpy } from "./npy.ts";
import { looksLikeZip, readNpz } from "./npz.ts";
import { looksLikeSafetensors, readSafetensors, safetensorsHead } from "./safetensors.ts";
import { elementsOf, type Tensor, type Tensors } from "./tensor.ts";

export type Format = "safetensors" | "npy" | "npz" | "f32le";

/** What an array is called that has no name, among tensors that have. */
const NAMELESS = "array";

/** Which of the known formats the bytes are in. Pickles are never opened; bare numbers cannot be told from anything else. */
export function sniffFormat(bytes: Uint8Array): Format {
  if (looksLikeNpy(bytes)) return "npy";
  if (looksLikeZip(bytes)) return "npz";
  if (looksLikeSafetensors(bytes)) return "safetensors";
  throw unsupported("the parameters are neither safetensors nor npy nor npz");
}

/**
 * With a shape the bytes are taken for bare 32-bit floats (`f32le`); without one their format is found out. An archive that
 * becomes larger than `unpackedMax` is not unpacked.
 */
export function readTensors(bytes: Uint8Array, shape?: readonly number[] | null, unpackedMax?: number): Tensors {
  if (shape) return new Map([[NAMELESS, readRaw(bytes, shape)]]);
  const format = sniffFormat(bytes);
  if (format === "npy") return new Map([[NAMELESS, readNpy(bytes)]]);
  return format === "npz" ? readNpz(bytes, unpackedMax) : readSafetensors(bytes);
}

/** Bare little-endian floats of 32 bits, in row order; what they are has to be known. */
export function readRaw(bytes: Uint8Array, shape: readonly number[]): Tensor {
  const wanted = elementsOf(shape) * 4;
  if (bytes.length !== wanted) throw unsupported(`bare floats of [${shape}] are ${wanted} bytes, not ${bytes.length}`);
  return { dtype: "F32", shape, bytes };
}

/** Writes npy as npy and bare floats as bare floats again; everything else as safetensors. */
export function writeTensors(tensors: Tensors, format: Format): Uint8Array<ArrayBuffer> {
  const pieces = tensorPieces(tensors, format);
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The same bytes in pieces, without a copy. */
export function tensorPieces(tensors: Tensors, format: Format): Uint8Array[] {
  const nameless = tensors.get(NAMELESS);
  if (format === "f32le" && nameless?.dtype === "F32") return [nameless.bytes];
  if (format === "npy" && nameless !== undefined) return [npyHead(nameless), nameless.bytes];
  return [safetensorsHead(tensors), ...[...tensors.values()].map(({ bytes }) => bytes)];
}
