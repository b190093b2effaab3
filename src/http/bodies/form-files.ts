import type { Readable } from "node:stream";
import { GatewayError } from "../../contract/errors.ts";
import { Spool, SpoolFault } from "../../lib/spool.ts";
import type { FormFile, FormSpec, MultipartForm } from "../form.ts";

interface Arriving {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly spool: Spool;
  readonly written: Promise<void>;
}

/** How many files the parser lets come: one more than there may be, so that it is told. */
export const filesMax = ({ countMax = 1, others = {} }: FormSpec): number => countMax + Object.keys(others).length + 1;

/** What all files together may have. */
export const filesBytesMax = ({ countMax = 1, others = {}, fileBytesMax }: FormSpec): number =>
  Object.values(others).reduce((sum, one) => sum + one, fileBytesMax * countMax);

/** The files of a form, set aside as they arrive. */
export class FormFiles {
  private readonly arriving: Arriving[] = [];

  constructor(private readonly spec: FormSpec) {}

  /** Throws where the form may not have it. */
  take(field: string, stream: Readable, name: string, type: string): Promise<void> {
    this.require(field);
    const spool = new Spool();
    const written = spool.fill(stream).catch(refuse);
    this.arriving.push({ field, name, type, spool, written });
    return written;
  }

  /** A part by this name has to be a file. */
  refuseText(field: string): void {
    if (this.bytesMax(plain(field)) !== null) {
      throw fault(field, `Send \`${field}\` as a file, with a file name`, "file_type");
    }
  }

  async all(): Promise<Pick<MultipartForm, "file" | "files">> {
    const files: FormFile[] = [];
    for (const { field, name, type, spool, written } of this.arriving) {
      await written;
      this.check(field, name, spool.sizeBytes);
      const { sizeBytes } = spool;
      const slice = (start: number, bytes: number) => spool.slice(start, bytes);
      files.push({ field, name, type, read: () => spool.read(), slice, sizeBytes });
    }
    const file = files.find(({ field }) => this.isFirst(field));
    if (file) return { file, files };
    const { file: needed } = this.spec;
    throw fault(needed, "Field required", "missing", `The form has no file \`${needed}\`.`);
  }

  /** Resolves when all files that have begun are written, or have failed. */
  async written(): Promise<void> {
    await Promise.allSettled(this.arriving.map(({ written }) => written));
  }

  discard(): void {
    for (const { spool } of this.arriving) spool.discard();
  }

  private require(field: string): void {
    const { countMax: most = 1, file, others = {} } = this.spec;
    const name = plain(field);
    const known = this.arriving.filter((one) => plain(one.field) === name).length;
    if (this.bytesMax(name) === null || (name !== field && !this.isFirst(field))) {
      const names = [file, ...Object.keys(others)].map((one) => `\`${one}\``).join(", ");
      throw fault(field.slice(0, NAME_CHARS_MAX), `There is no such file; there are ${names}`, "extra_forbidden");
    }
    const countMax = this.isFirst(field) ? most : 1;
    if (known < countMax) return;
    throw fault(name, countMax === 1 ? "Send one file" : `Send at most ${countMax} files`, "too_long");
  }

  private check(field: string, name: string, sizeBytes: number): void {
    if (name === "") {
      throw new GatewayError("invalid_request", `The part \`${field}\` must have a file name.`, { param: field });
    }
    const param = plain(field);
    const bytesMax = this.bytesMax(param) ?? 0;
    if (sizeBytes > bytesMax) throw tooLarge(bytesMax, param);
    if (sizeBytes > 0) return;
    throw new GatewayError("invalid_request", `The file \`${param}\` is empty: send one with something in it.`, {
      param,
    });
  }

  private isFirst(field: string): boolean {
    const { countMax = 1, file } = this.spec;
    return field === file || (countMax > 1 && field === `${file}[]`);
  }

  private bytesMax(name: string): number | null {
    const { file, fileBytesMax, others = {} } = this.spec;
    if (name === file) return fileBytesMax;
    return Object.hasOwn(others, name) ? (others[name] ?? null) : null;
  }
}

const NAME_CHARS_MAX = 60;

function refuse(thrown: unknown): never {
  if (!(thrown instanceof SpoolFault)) throw thrown;
  const { cause } = thrown;
  throw new GatewayError("unavailable", "The file cannot be taken in at the moment; send it again.", { cause });
}

/** `image[]` is one of several that are called `image`. */
const plain = (field: string): string => field.replace(/\[\]$/, "");

export const tooLarge = (bytesMax: number, param: string): GatewayError =>
  new GatewayError("body_too_large", `The file \`${param}\` is larger than ${bytesMax} bytes.`, {
    param,
    headers: { connection: "close" },
  });

const fault = (field: string, msg: string, type: string, message = `${field}: ${msg}.`): GatewayError =>
  new GatewayError("validation", message, { faults: [{ loc: ["body", field], msg, type }] });
