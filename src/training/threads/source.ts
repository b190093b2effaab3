import { closeSync, openSync, readSync } from "node:fs";
import { inMemory, type Values } from "../aggregate/values.ts";

/** Where the numbers of a model lie, in words that another thread understands: in a file from some byte on, or in shared memory. */
export type Source =
  | { readonly path: string; readonly offset: number; readonly length: number }
  | { readonly shared: SharedArrayBuffer };

export const lengthOfSource = (source: Source): number =>
  "shared" in source ? source.shared.byteLength / 4 : source.length;

/** Numbers where every thread can read them. */
export function sharedSource(values: Float32Array): Source & { readonly shared: SharedArrayBuffer } {
  const shared = new SharedArrayBuffer(values.length * 4);
  new Float32Array(shared).set(values);
  return { shared };
}

/** Sources that are open together and closed together; the same one is opened once. */
export class OpenSources {
  private readonly handles = new Map<string, number>();

  open(source: Source): Values {
    if ("shared" in source) return inMemory(new Float32Array(source.shared));
    const { path, offset, length } = source;
    const handle = this.handles.get(path) ?? openSync(path, "r");
    this.handles.set(path, handle);
    return { length, read: (start, into) => readFully(handle, into, offset + start * 4, path) };
  }

  close(): void {
    for (const handle of this.handles.values()) closeSync(handle);
    this.handles.clear();
  }
}

function readFully(handle: number, into: Float32Array, position: number, path: string): void {
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const got = readSync(handle, bytes, at, bytes.length - at, position + at);
    if (got === 0) throw new Error(`${path} is shorter than its numbers`);
    at += got;
  }
}
