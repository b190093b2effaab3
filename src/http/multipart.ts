import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { TSchema } from "typebox";
import { GatewayError } from "../contract/errors.ts";
import { Spool } from "../lib/spool.ts";

export interface FormSpec {
  /** What the form holds, for the API description. */
  readonly schema: TSchema;
  /** The name of the part that is the file. */
  readonly file: string;
  readonly fileBytesMax: number;
}

export interface MultipartForm {
  /** In the order in which they were sent; a name may come more than once. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly file: FormFile;
  /** Lets go of the file, whether it was read or not. */
  discard(): void;
}

export interface FormFile {
  readonly name: string;
  readonly type: string;
  /** The file's bytes from the beginning, each time; past a small size they lie on the disk and not in memory. */
  read(): ReadableStream<Uint8Array>;
  readonly sizeBytes: number;
}

/** A server that is sent no files does without it. */
const load = () => import("@fastify/busboy");

const BOUNDARY = /^multipart\/form-data\s*;.*\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))(?:\s*;|\s*$)/i;
const LIMITS = { fields: 100, parts: 110, fieldNameSize: 200, fieldSize: 1024 * 1024, headerPairs: 20, files: 10 };

/**
 * Reads a form whose file may come before the fields that say what to do with it: the file is set aside as it arrives, so
 * that however large it is, only a part of it is in memory at a time.
 */
export async function readMultipart(request: Request, spec: FormSpec): Promise<MultipartForm> {
  const type = request.headers.get("content-type") ?? "";
  if (!BOUNDARY.test(type)) {
    throw new GatewayError("unsupported_media_type", "Send the body as `multipart/form-data` with a boundary.");
  }
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > spec.fileBytesMax + LIMITS.fieldSize) throw tooLarge(spec);
  if (!request.body) throw new GatewayError("malformed_body", "The request body is empty.");
  return parse(request.body as unknown as NodeReadableStream, type, spec);
}

async function parse(body: NodeReadableStream, type: string, spec: FormSpec): Promise<MultipartForm> {
  const fields: [string, string][] = [];
  let found: { name: string; type: string; spool: Spool; written: Promise<void> } | null = null;
  const done = Promise.withResolvers<void>();
  const { Busboy } = await load();
  const parser = new Busboy({
    headers: { "content-type": type },
    limits: { ...LIMITS, fileSize: spec.fileBytesMax },
  });
  parser.on("field", (name, value, _nameCut, valueCut) => {
    if (valueCut) done.reject(new GatewayError("malformed_body", `The field \`${name.slice(0, 50)}\` is too long.`));
    fields.push([name, value]);
  });
  parser.on("file", (name, stream, filename, _encoding, mimeType) => {
    if (name !== spec.file || found) return stream.resume();
    const spool = new Spool();
    stream.on("limit", () => done.reject(tooLarge(spec)));
    found = { name: filename ?? "", type: mimeType, spool, written: spool.fill(stream) };
    found.written.catch(done.reject);
  });
  parser.on("fieldsLimit", () => done.reject(new GatewayError("malformed_body", "The form has too many fields.")));
  parser.on("partsLimit", () => done.reject(new GatewayError("malformed_body", "The form has too many parts.")));
  parser.on("error", (cause) => done.reject(malformed(cause)));
  parser.on("finish", () => done.resolve());
  const source = Readable.fromWeb(body);
  source.on("error", (cause) => done.reject(malformed(cause)));
  source.pipe(parser);
  try {
    await done.promise;
    return await finish(fields, found, spec);
  } catch (thrown) {
    source.destroy();
    (found as { spool: Spool } | null)?.spool.discard();
    throw thrown;
  }
}

async function finish(
  fields: [string, string][],
  found: { name: string; type: string; spool: Spool; written: Promise<void> } | null,
  spec: FormSpec,
): Promise<MultipartForm> {
  if (!found) {
    const fault = { loc: ["body", spec.file], msg: "Field required", type: "missing" };
    throw new GatewayError("validation", `The form has no file \`${spec.file}\`.`, { faults: [fault] });
  }
  await found.written;
  if (found.name === "") {
    throw new GatewayError("invalid_request", `The part \`${spec.file}\` must have a file name.`, { param: spec.file });
  }
  const { name, type, spool } = found;
  return {
    fields,
    file: { name, type, read: () => spool.read(), sizeBytes: spool.sizeBytes },
    discard: () => spool.discard(),
  };
}

const malformed = (cause: unknown): GatewayError =>
  new GatewayError("malformed_body", "The multipart body is not well-formed.", { param: "request_body", cause });

const tooLarge = (spec: FormSpec): GatewayError =>
  new GatewayError("body_too_large", `The file is larger than ${spec.fileBytesMax} bytes.`, {
    headers: { connection: "close" },
  });
