import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { BusboyInstance } from "@fastify/busboy";
import { GatewayError } from "../../contract/errors.ts";
import { SPOOL_MEMORY_BYTES } from "../../lib/spool.ts";
import type { FormSpec, MultipartForm } from "../form.ts";
import type { IncomingBody } from "./body-budget.ts";
import { FormFiles, filesBytesMax, filesMax, tooLarge } from "./form-files.ts";

/** Loaded with the first form: most servers receive none. */
const load = () => import("@fastify/busboy");

const BOUNDARY = /^multipart\/form-data\s*;.*\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))(?:\s*;|\s*$)/i;
/** All texts of a form together: they are held in memory, and none of them is a file. */
const FIELDS_BYTES_MAX = 4 * 1024 * 1024;
const LIMITS = { fields: 100, parts: 130, fieldNameSize: 200, fieldSize: 1024 * 1024, headerPairs: 20 };

/**
 * Reads a form whose files may precede the fields that say what to do with them. Each file is spooled as it arrives, so
 * that only a part of it is in memory, however large it is.
 */
export async function readMultipart(request: Request, spec: FormSpec, incoming: IncomingBody): Promise<MultipartForm> {
  const type = request.headers.get("content-type") ?? "";
  if (!BOUNDARY.test(type)) {
    throw new GatewayError("unsupported_media_type", "Send the body as `multipart/form-data` with a boundary.");
  }
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > filesBytesMax(spec) + LIMITS.fieldSize) throw tooLarge(spec.fileBytesMax, spec.file);
  if (!request.body) throw new GatewayError("malformed_body", "The request body is empty.");
  const source = Readable.fromWeb(request.body as unknown as NodeReadableStream);
  const form = new ArrivingForm(spec, incoming);
  try {
    return await incoming.within(form.read(source, type));
  } catch (thrown) {
    source.destroy();
    form.files.discard();
    throw thrown;
  }
}

class ArrivingForm {
  readonly files: FormFiles;
  private readonly fields: [string, string][] = [];
  private fieldsBytes = 0;
  private heldBytes = 0;
  private readonly done = Promise.withResolvers<void>();

  constructor(
    private readonly spec: FormSpec,
    private readonly incoming: IncomingBody,
  ) {
    this.files = new FormFiles(spec);
  }

  async read(source: Readable, type: string): Promise<MultipartForm> {
    const { files, fields, done } = this;
    const parser = await this.createParser(type);
    source.on("data", (chunk: Uint8Array) => this.attempt(() => this.count(chunk.length)));
    source.on("error", (cause) => done.reject(malformed(cause)));
    source.pipe(parser);
    await done.promise;
    return { fields, ...(await files.all()), discard: () => files.discard() };
  }

  private async createParser(type: string): Promise<BusboyInstance> {
    const { spec, files, done } = this;
    const { Busboy } = await load();
    const limits = { ...LIMITS, files: filesMax(spec), fileSize: spec.fileBytesMax };
    const parser = new Busboy({ headers: { "content-type": type }, limits });
    parser.on("field", (name, value, _nameCut, valueCut) => this.attempt(() => this.addField(name, value, valueCut)));
    parser.on("file", (name, stream, filename, _encoding, mimeType) => {
      const written = this.attempt(() => files.take(name, stream, filename ?? "", mimeType));
      // Without a listener, the error of a file that is skipped would end the process.
      stream.on("error", (cause) => done.reject(malformed(cause)));
      if (!written) return stream.resume();
      stream.on("limit", () => done.reject(tooLarge(spec.fileBytesMax, name)));
      written.catch(done.reject);
    });
    parser.on("fieldsLimit", () => done.reject(new GatewayError("malformed_body", "The form has too many fields.")));
    parser.on("partsLimit", () => done.reject(new GatewayError("malformed_body", "The form has too many parts.")));
    parser.on("error", (cause) => done.reject(malformed(cause)));
    parser.on("finish", () => done.resolve());
    parser.on("prefinish", () => void this.endUnfinished());
    return parser;
  }

  /** The parser reports neither an end nor an error if the headers of a part have no end. */
  private async endUnfinished(): Promise<void> {
    await this.files.written();
    await new Promise((resolve) => setImmediate(resolve));
    this.done.reject(malformed(new Error("a part has no blank line after its headers")));
  }

  private addField(name: string, value: string, isCut: boolean): void {
    if (isCut) throw new GatewayError("malformed_body", `The field \`${name.slice(0, 50)}\` is too long.`);
    this.files.refuseText(name);
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(value);
    this.fieldsBytes += bytes;
    if (this.fieldsBytes > FIELDS_BYTES_MAX) throw tooMuchText();
    this.incoming.reserve(bytes);
    this.fields.push([name, value]);
  }

  /** Bytes beyond the memory of the spools are on the disk. */
  private count(bytes: number): void {
    const held = Math.min(bytes, filesMax(this.spec) * SPOOL_MEMORY_BYTES - this.heldBytes);
    this.heldBytes += held;
    this.incoming.add(bytes, held);
  }

  /** A listener of the parser must not throw. */
  private attempt<T>(work: () => T): T | null {
    try {
      return work();
    } catch (thrown) {
      this.done.reject(thrown);
      return null;
    }
  }
}

const tooMuchText = (): GatewayError =>
  new GatewayError("body_too_large", `The form's fields are larger than ${FIELDS_BYTES_MAX} bytes together.`, {
    headers: { connection: "close" },
  });

const malformed = (cause: unknown): GatewayError =>
  new GatewayError("malformed_body", "The multipart body is malformed.", { param: "request_body", cause });
