import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { isRecord } from "../../lib/json.ts";
import { ParticipantFailure } from "./participant-failure.ts";

/** A multiple of three, so that base64 has no padding between two pieces. */
const PIECE_BYTES = 3 * 256 * 1024;
/** Characters that become bytes in one step; a multiple of four. */
const PIECE_CHARACTERS = 4 * 256 * 1024;
/** Smaller files are read, larger ones are mapped. */
const MAPPED_BYTES_MIN = 65_536;
/** A response without its parameters holds a few names and numbers. */
const FIELDS_BYTES_MAX = 1024 ** 2;
const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d] as const;

/** A request of the contract: one model, no model, or the list of models that `/aggregate` takes. */
export interface JsonRequest {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Paths of the files that hold the models. */
  readonly models: string | null | readonly string[];
}

/** Writes a request piece by piece, so that its text is never in memory as a whole. */
export function* jsonPieces({ fields, models }: JsonRequest): Generator<Uint8Array> {
  const [before, after] = aroundModels(fields, models);
  yield before;
  for (const [at, path] of pathsIn(models).entries()) {
    if (at > 0) yield Buffer.from('","');
    yield* base64Pieces(path);
  }
  yield after;
}

/** Returns the whole request for several participants at once: it is in memory once for all of them. */
export function jsonBlob(request: JsonRequest): Blob {
  const paths = pathsIn(request.models);
  const [before, after] = aroundModels(request.fields, request.models);
  const encoded = paths.reduce((sum, path) => sum + Math.ceil(statSync(path).size / 3) * 4, 0);
  const separators = 3 * Math.max(0, paths.length - 1);
  const whole = new Uint8Array(before.length + encoded + separators + after.length);
  let at = 0;
  for (const piece of jsonPieces(request)) {
    whole.set(piece, at);
    at += piece.length;
  }
  const blob = new Blob([whole]);
  // The Blob has its own copy. This releases the first one at once.
  whole.buffer.transfer(0);
  return blob;
}

const pathsIn = (models: JsonRequest["models"]): readonly string[] =>
  models === null ? [] : typeof models === "string" ? [models] : models;

/** The text in front of the first model and behind the last one. */
function aroundModels(fields: JsonRequest["fields"], models: JsonRequest["models"]): [Buffer, Buffer] {
  const others = JSON.stringify(fields).slice(1, -1);
  const start = others === "" ? "{" : `{${others},`;
  if (models === null) return [Buffer.from(`${start}"parameters":null`), Buffer.from("}")];
  if (typeof models === "string") return [Buffer.from(`${start}"parameters":"`), Buffer.from('"}')];
  return [Buffer.from(`${start}"parameters_list":["`), Buffer.from('"]}')];
}

function* base64Pieces(path: string): Generator<Uint8Array> {
  const handle = openSync(path, "r");
  const piece = Buffer.alloc(PIECE_BYTES);
  try {
    for (;;) {
      let length = 0;
      for (let read = -1; read !== 0 && length < piece.length; length += read) {
        read = readSync(handle, piece, length, piece.length - length, null);
      }
      if (length === 0) return;
      yield Buffer.from(piece.toString("base64", 0, length), "latin1");
    }
  } finally {
    closeSync(handle);
  }
}

/** A response of the contract: its `parameters` as bytes, and its other fields. */
export interface JsonResponse {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly parameters: Iterable<Uint8Array>;
}

/** Reads a response from its file. The base64 in it becomes bytes only while it is read. */
export function readJsonResponse(path: string): JsonResponse {
  const bytes = bytesIn(path);
  const place = findParameters(bytes);
  const rest = place === null ? bytes : Buffer.concat([bytes.subarray(0, place.start), bytes.subarray(place.end)]);
  if (rest.length > FIELDS_BYTES_MAX) throw refusal("has too many other fields");
  const fields = parseFields(rest);
  if (place === null || fields.parameters !== "") throw refusal("has no base64 text in `parameters`");
  return { fields, parameters: decode(bytes.subarray(place.start, place.end)) };
}

function bytesIn(path: string): Buffer {
  if (statSync(path).size < MAPPED_BYTES_MIN) return readFileSync(path);
  const { buffer, byteOffset, byteLength } = Bun.mmap(path);
  return Buffer.from(buffer, byteOffset, byteLength);
}

function parseFields(text: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown = null;
  try {
    value = JSON.parse(text.toString());
  } catch {
    throw refusal("is not JSON");
  }
  if (!isRecord(value)) throw refusal("is not a JSON object");
  return value;
}

/** Finds the text of the field `parameters` of the outermost object, without its quotes. */
function findParameters(bytes: Buffer): { readonly start: number; readonly end: number } | null {
  let depth = 0;
  let name = "";
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === OPEN || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE || byte === CLOSE_LIST) depth--;
    else if (byte === QUOTE) {
      const end = endOfText(bytes, at + 1);
      const isValue = name === "parameters" && depth === 1;
      if (isValue) return { start: at + 1, end };
      // A value is followed by a comma or a bracket, so it is never taken for the name of a field.
      name = /^\s*:\s*"/.test(bytes.toString("latin1", end + 1, end + 64)) ? bytes.toString("utf8", at + 1, end) : "";
      at = end;
    }
  }
  return null;
}

/** Finds the quote that ends a text. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start; ; ) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) throw refusal("is not JSON");
    let escapes = 0;
    while (bytes[quote - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return quote;
    at = quote + 1;
  }
}

function* decode(text: Buffer): Generator<Uint8Array> {
  // Some encoders escape slashes or divide base64 into lines.
  const plain = text.includes(BACKSLASH) ? Buffer.from(unescaped(text), "latin1") : text;
  for (let at = 0; at < plain.length; at += PIECE_CHARACTERS) {
    const piece = plain.toString("latin1", at, at + PIECE_CHARACTERS);
    try {
      yield Uint8Array.fromBase64(piece, { lastChunkHandling: "strict" });
    } catch {
      throw refusal("has `parameters` that are not base64 of the standard alphabet with padding");
    }
  }
}

function unescaped(text: Buffer): string {
  try {
    return String(JSON.parse(`"${text.toString()}"`)).replaceAll(/\s/g, "");
  } catch {
    throw refusal("is not JSON");
  }
}

const refusal = (why: string): ParticipantFailure => new ParticipantFailure(`its response ${why}`, false);
