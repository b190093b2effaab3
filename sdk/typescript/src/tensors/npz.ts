import { inflateRawSync } from "node:zlib";
import { unsupported } from "./format-error.ts";
import { readNpy } from "./npy.ts";
import type { Tensor, Tensors } from "./tensor.ts";

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const COMMENT_MAX = 65_535;
/** All members together may not become larger than this; one that becomes larger than the archive says is refused. */
const UNPACKED_BYTES_MAX = 4 * 1024 ** 3;

export const looksLikeZip = (bytes: Uint8Array): boolean =>
  bytes.length >= END_BYTES && bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);

interface Member {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

/** Reads an archive of npy arrays, stored or deflated. One with a pickle inside is refused unopened. */
export function readNpz(bytes: Uint8Array, unpackedMax = UNPACKED_BYTES_MAX): Tensors {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const members = readDirectory(view, bytes);
  if (members.some(({ name }) => name.endsWith(".pkl"))) {
    throw unsupported(
      "this is a pickle, which runs code when it is opened; save with safetensors.torch.save(state_dict) instead",
    );
  }
  // Members may lie over each other, so that a small archive becomes a large one without any of them being large.
  if (members.reduce((sum, { size }) => sum + size, 0) > unpackedMax)
    throw unsupported(`unpacked, the archive is larger than ${unpackedMax} bytes; send it as safetensors`);
  const tensors = new Map<string, Tensor>();
  for (const member of members) {
    const name = member.name.replace(/\.npy$/, "");
    if (name === member.name) throw unsupported("the archive holds something else than npy arrays");
    if (tensors.has(name)) throw unsupported(`the array ${name} stands twice in the archive`);
    tensors.set(name, readNpy(unpack(view, bytes, member)));
  }
  return tensors;
}

function readDirectory(view: DataView, bytes: Uint8Array): Member[] {
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const members: Member[] = [];
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || view.getUint32(at, true) !== ENTRY_SIGNATURE) throw unsupported("the archive is broken");
    const nameBytes = view.getUint16(at + 28, true);
    members.push({
      name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameBytes)),
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    });
    at += 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return members;
}

function findEnd(view: DataView): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= Math.max(0, last - COMMENT_MAX); at--) {
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  }
  throw unsupported("the archive is cut short");
}

function unpack(view: DataView, bytes: Uint8Array, { name, method, packed, size, offset }: Member): Uint8Array {
  if (offset + 30 > bytes.length) throw unsupported("the archive is broken");
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + packed > bytes.length) throw unsupported("the archive is broken");
  const data = bytes.subarray(start, start + packed);
  if (method === 0) return data;
  if (method !== 8) throw unsupported(`the array ${name} is packed in a way that is not read here`);
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) });
  } catch {
    throw unsupported(`the array ${name} cannot be unpacked`);
  }
}
