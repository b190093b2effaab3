import type { TSchema } from "typebox";

/** The files that a form may have: any other one is refused, and so is one with nothing in it. */
export interface FormSpec {
  /** What the form holds, for the API description. */
  readonly schema: TSchema;
  /** The name of the part that must be there and is a file. */
  readonly file: string;
  readonly fileBytesMax: number;
  /** How many there may be of it, where that is more than one; `[]` behind its name makes no difference then. */
  readonly countMax?: number;
  /** Further files, one of each, and how large they may be. */
  readonly others?: Readonly<Record<string, number>>;
}

export interface MultipartForm {
  /** In the order in which they were sent; a name may come more than once. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The one that must be there, or the first of them. */
  readonly file: FormFile;
  /** All of them, in the order in which they were sent. */
  readonly files: readonly FormFile[];
  /** Lets go of the files, whether they were read or not. */
  discard(): void;
}

export interface FormFile {
  /** The name of its part. */
  readonly field: string;
  readonly name: string;
  readonly type: string;
  /** The file's bytes from the beginning, each time; past a small size they lie on the disk and not in memory. */
  read(): ReadableStream<Uint8Array>;
  /** So many of them from a place on; fewer where the file ends before. */
  slice(start: number, bytes: number): Promise<Buffer>;
  readonly sizeBytes: number;
}
