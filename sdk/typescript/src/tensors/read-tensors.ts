import { unsupported } from "./format-error.ts";
import { looksLikeNpy, readNpy, writeNpy } from "./npy.ts";
import { looksLikeZip, readNpz } from "./npz.ts";
import { looksLikeSafetensors, readSafetensors, writeSafetensors } from "./safetensors.ts";
import type { Tensors } from "./tensor.ts";

export type Format = "safetensors" | "npy" | "npz";

/** What an npy array is called among tensors that have names. */
const NAMELESS = "array";

/** Which of the known formats the bytes are in. Pickles are never opened. */
export function sniffFormat(bytes: Uint8Array): Format {
  if (looksLikeNpy(bytes)) return "npy";
  if (looksLikeZip(bytes)) return "npz";
  if (looksLikeSafetensors(bytes)) return "safetensors";
  throw unsupported("the parameters are neither safetensors nor npy nor npz");
}

export function readTensors(bytes: Uint8Array): Tensors {
  const format = sniffFormat(bytes);
  if (format === "npy") return new Map([[NAMELESS, readNpy(bytes)]]);
  return format === "npz" ? readNpz(bytes) : readSafetensors(bytes);
}

/** Writes npy as npy again; everything else as safetensors. */
export function writeTensors(tensors: Tensors, format: Format): Uint8Array<ArrayBuffer> {
  const nameless = tensors.get(NAMELESS);
  return format === "npy" && nameless !== undefined ? writeNpy(nameless) : writeSafetensors(tensors);
}
