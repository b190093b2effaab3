import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, statSync } from "node:fs";

/** Before a body of so many bytes is made, the one before is collected: it would come on top. */
const LARGE_BYTES = 16 * 1024 * 1024;

/** A request to several participants: its body is in memory once for all of them. */
export interface Question {
  readonly body: Blob;
  readonly type: string;
}

/** A request to one participant: its body is made while it leaves. */
export interface StreamedQuestion {
  readonly body: ReadableStream<Uint8Array>;
  readonly type: string;
}

/** What a call says beside the parameters. */
export interface CallMeta {
  readonly run_id: string;
  readonly round: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly dataset?: unknown;
}

/** The body of a call as multipart/form-data: `meta` first, then the model, straight from its file. */
export function questionOf(modelPath: string | null, { dataset, ...rest }: CallMeta): Question {
  const boundary = `turnpike-${randomUUID()}`;
  const part = (name: string, more = "") =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const fields = {
    ...rest,
    ...(dataset === undefined ? {} : { dataset }),
    ...(modelPath === null ? { parameters: null } : {}),
  };
  const meta = `${part("meta")}${JSON.stringify(fields)}\r\n`;
  const type = `multipart/form-data; boundary=${boundary}`;
  const end = `--${boundary}--\r\n`;
  if (modelPath === null) return { type, body: new Blob([meta, end]) };
  const head = Buffer.from(meta + part("parameters", '; filename="parameters"'));
  const whole = around(modelPath, head, Buffer.from(`\r\n${end}`));
  const body = new Blob([whole]);
  // A Blob has a copy of its own; this one is given back now and not some time later.
  whole.buffer.transfer(0);
  return { type, body };
}

function around(path: string, head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const size = statSync(path).size;
  if (size >= LARGE_BYTES) Bun.gc(true);
  const whole = new Uint8Array(head.length + size + tail.length);
  whole.set(head);
  const handle = openSync(path, "r");
  try {
    for (let at = 0; at < size; ) {
      const got = readSync(handle, whole, head.length + at, size - at, at);
      if (got === 0) throw new Error(`${path} was cut short`);
      at += got;
    }
  } finally {
    closeSync(handle);
  }
  whole.set(tail, head.length + size);
  return whole;
}
