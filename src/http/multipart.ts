import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { GatewayError } from "../contract/errors.ts";
import type { FormSpec, MultipartForm } from "./form.ts";
import { FormFiles, filesBytesMax, filesMax, tooLarge } from "./form-files.ts";

/** A server that is sent no files does without it. */
const load = () => import("@fastify/busboy");

const BOUNDARY = /^multipart\/form-data\s*;.*\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))(?:\s*;|\s*$)/i;
/** All texts of a form together: they are held in memory, and none of them is a file. */
const FIELDS_BYTES_MAX = 4 * 1024 * 1024;
const LIMITS = { fields: 100, parts: 130, fieldNameSize: 200, fieldSize: 1024 * 1024, headerPairs: 20 };

/**
 * Reads a form whose files may come before the fields that say what to do with them: a file is set aside as it arrives, so
 * that however large it is, only a part of it is in memory at a time.
 */
export async function readMultipart(request: Request, spec: FormSpec): Promise<MultipartForm> {
  const type = request.headers.get("content-type") ?? "";
  if (!BOUNDARY.test(type)) {
    throw new GatewayError("unsupported_media_type", "Send the body as `multipart/form-data` with a boundary.");
  }
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > filesBytesMax(spec) + LIMITS.fieldSize) throw tooLarge(spec.fileBytesMax, spec.file);
  if (!request.body) throw new GatewayError("malformed_body", "The request body is empty.");
  return parse(request.body as unknown as NodeReadableStream, type, spec);
}

async function parse(body: NodeReadableStream, type: string, spec: FormSpec): Promise<MultipartForm> {
  const fields: [string, string][] = [];
  let fieldsBytes = 0;
  const arrived = new FormFiles(spec);
  const done = Promise.withResolvers<void>();
  /** A parser's listener must not throw. */
  const told = <T>(work: () => T): T | null => {
    try {
      return work();
    } catch (thrown) {
      done.reject(thrown);
      return null;
    }
  };
  const { Busboy } = await load();
  const parser = new Busboy({
    headers: { "content-type": type },
    limits: { ...LIMITS, files: filesMax(spec), fileSize: spec.fileBytesMax },
  });
  parser.on("field", (name, value, _nameCut, valueCut) => {
    if (valueCut) done.reject(new GatewayError("malformed_body", `The field \`${name.slice(0, 50)}\` is too long.`));
    told(() => arrived.refuseText(name));
    fieldsBytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (fieldsBytes > FIELDS_BYTES_MAX) done.reject(tooMuchText());
    else fields.push([name, value]);
  });
  parser.on("file", (name, stream, filename, _encoding, mimeType) => {
    const written = told(() => arrived.take(name, stream, filename ?? "", mimeType));
    if (!written) return stream.resume();
    stream.on("limit", () => done.reject(tooLarge(spec.fileBytesMax, name)));
    written.catch(done.reject);
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
    return { fields, ...(await arrived.all()), discard: () => arrived.discard() };
  } catch (thrown) {
    source.destroy();
    arrived.discard();
    throw thrown;
  }
}

const tooMuchText = (): GatewayError =>
  new GatewayError("body_too_large", `The form's fields are larger than ${FIELDS_BYTES_MAX} bytes together.`, {
    headers: { connection: "close" },
  });

const malformed = (cause: unknown): GatewayError =>
  new GatewayError("malformed_body", "The multipart body is not well-formed.", { param: "request_body", cause });
