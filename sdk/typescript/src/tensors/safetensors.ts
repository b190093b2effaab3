import { unsupported } from "./format-error.ts";
import { DTYPE_BYTES, type Dtype, elementsOf, type Tensor, type Tensors, withMetadata } from "./tensor.ts";

const HEADER_BYTES_MAX = 100_000_000;
const DIMENSIONS_MAX = 32;
const [QUOTE, BACKSLASH, COLON, SPACE] = [0x22, 0x5c, 0x3a, 0x20];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

interface Entry {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

export function looksLikeSafetensors(bytes: Uint8Array): boolean {
  if (bytes.length < 10 || bytes[8] !== 0x7b) return false;
  const length = headerLength(bytes);
  return length >= 2 && length <= HEADER_BYTES_MAX && 8 + length <= bytes.length;
}

/** Reads the tensors without copying them; they are in the order of their bytes. */
export function readSafetensors(bytes: Uint8Array): Tensors {
  if (!looksLikeSafetensors(bytes)) throw unsupported("this is not safetensors");
  const length = headerLength(bytes);
  const data = bytes.subarray(8 + length);
  const { entries, metadata } = readHeader(bytes.subarray(8, 8 + length));
  entries.sort(([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0] || a.data_offsets[1] - b.data_offsets[1]);
  const tensors = new Map<string, Tensor>();
  let at = 0;
  for (const [name, { dtype, shape, data_offsets: offsets }] of entries) {
    if (offsets[0] !== at) throw unsupported(`the tensor ${name} leaves a hole or overlaps another`);
    at = offsets[1];
    if (at - offsets[0] !== elementsOf(shape) * DTYPE_BYTES[dtype]) {
      throw unsupported(`the tensor ${name} has not the length that its shape says`);
    }
    tensors.set(name, { dtype, shape, bytes: data.subarray(offsets[0], at) });
  }
  if (at !== data.length) throw unsupported("bytes are left behind the last tensor, or missing");
  return withMetadata(tensors, metadata === null ? {} : { metadata });
}

/** The same tensors always give the same bytes: compact header, in the order given, padded to eight. */
export function writeSafetensors(tensors: Tensors): Uint8Array<ArrayBuffer> {
  const head = safetensorsHead(tensors);
  let at = head.length;
  const whole = new Uint8Array([...tensors.values()].reduce((sum, { bytes }) => sum + bytes.length, at));
  whole.set(head);
  for (const { bytes } of tensors.values()) {
    whole.set(bytes, at);
    at += bytes.length;
  }
  return whole;
}

/** What stands before the bytes of the tensors. */
export function safetensorsHead(tensors: Tensors): Uint8Array<ArrayBuffer> {
  const { metadata = {} } = tensors;
  const text = Object.keys(metadata).length === 0 ? [] : [`"__metadata__":${JSON.stringify(metadata)}`];
  let at = 0;
  for (const [name, { dtype, shape, bytes }] of tensors) {
    if (elementsOf(shape) * DTYPE_BYTES[dtype] !== bytes.length) {
      throw unsupported(`the tensor ${name} has not the length that its shape says`);
    }
    const entry = { dtype, shape, data_offsets: [at, at + bytes.length] };
    // By hand, because an object would put names that look like numbers first.
    text.push(`${JSON.stringify(name)}:${JSON.stringify(entry)}`);
    at += bytes.length;
  }
  const names = new TextEncoder().encode(`{${text.join(",")}}`);
  const padded = Math.ceil(names.length / 8) * 8;
  const head = new Uint8Array(8 + padded).fill(0x20);
  new DataView(head.buffer).setBigUint64(0, BigInt(padded), true);
  head.set(names, 8);
  return head;
}

function headerLength(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
}

interface Header {
  readonly entries: Array<[string, Entry]>;
  readonly metadata: Readonly<Record<string, string>> | null;
}

function readHeader(bytes: Uint8Array): Header {
  const header = parseHeader(bytes);
  const entries: Array<[string, Entry]> = [];
  let metadata: Header["metadata"] = null;
  for (const [name, entry] of Object.entries(header)) {
    if (name === "__metadata__") {
      // The format says texts by name; a file with anything else was read before there was metadata, and is still read.
      if (isTexts(entry)) metadata = entry;
      continue;
    }
    if (!isEntry(entry)) throw unsupported(`the header says nothing usable of the tensor ${name}`);
    entries.push([name, entry]);
  }
  return { entries, metadata };
}

const isTexts = (value: unknown): value is Record<string, string> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((text) => typeof text === "string");

function parseHeader(bytes: Uint8Array): Record<string, unknown> {
  const names = new Set<string>();
  const text = decode(bytes);
  try {
    const header: unknown = JSON.parse(text);
    if (typeof header === "object" && header !== null && !Array.isArray(header)) {
      for (const name of topLevelNames(text)) {
        if (names.has(name)) throw unsupported(`the tensor ${name} stands twice in the header`);
        names.add(name);
      }
      return header as Record<string, unknown>;
    }
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw unsupported("the header of the safetensors is not JSON");
    throw thrown;
  }
  throw unsupported("the header of the safetensors is not an object");
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unsupported("the header of the safetensors is not UTF-8");
  }
}

/**
 * JSON.parse takes the last of two equal names in silence; two tensors of one name would be two models. The text is known to be JSON.
 * Looked at character by character: a pattern takes a minute for a hundred megabytes of brackets.
 */
function topLevelNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    else if (code === QUOTE) {
      const end = endOfText(text, at);
      if (depth === 1 && isFollowedByColon(text, end)) names.push(JSON.parse(text.slice(at, end)));
      at = end - 1;
    }
  }
  return names;
}

/** Behind the quote that closes what begins here. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) <= SPACE) at++;
  return text.charCodeAt(at) === COLON;
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const { dtype, shape, data_offsets: offsets } = value as Record<string, unknown>;
  if (typeof dtype !== "string" || !Object.hasOwn(DTYPE_BYTES, dtype)) return false;
  if (!isCounts(shape) || shape.length > DIMENSIONS_MAX || !Number.isSafeInteger(elementsOf(shape))) return false;
  return isCounts(offsets) && offsets.length === 2 && (offsets[0] as number) <= (offsets[1] as number);
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0);
}
