import { randomUUID } from "node:crypto";
import { createReadStream, rmSync } from "node:fs";
import type { Question } from "../coordinator/question.ts";
import { jsonPieces } from "./json-form.ts";
import { type Form, type RequestBodies, type Spool, withMethod } from "./request-bodies.ts";
import type { Spooled } from "./spool.ts";

type Fields = Readonly<Record<string, unknown>>;
type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

interface AggregateRequest {
  /** Paths of the updates. */
  readonly models: readonly string[];
  /** The other fields of the binary form. */
  readonly meta: Fields;
  /** The other fields in JSON. */
  readonly jsonFields: Fields;
}

/** A request to aggregate. It holds all updates of a round, so it is written to a file and sent from there. */
export class AggregateBodies implements RequestBodies {
  readonly operation = "aggregate";
  private readonly files = new Map<Form, Promise<Spooled & { readonly type: string }>>();

  constructor(
    private readonly request: AggregateRequest,
    private readonly spool: Spool,
  ) {}

  async of(form: Form): Promise<Question> {
    const file = this.files.get(form) ?? this.write(form);
    this.files.set(form, file);
    const { path, type } = await file;
    return { type, body: Bun.file(path) };
  }

  /** Removes the files. */
  async close(): Promise<void> {
    const written = await Promise.allSettled(this.files.values());
    for (const one of written) if (one.status === "fulfilled") rmSync(one.value.path, { force: true });
  }

  private async write(form: Form): Promise<Spooled & { readonly type: string }> {
    const { models, meta, jsonFields } = this.request;
    const boundary = `turnpike-${randomUUID()}`;
    const [type, pieces]: [string, Pieces] =
      form === "binary"
        ? [`multipart/form-data; boundary=${boundary}`, multipartPieces(boundary, meta, models)]
        : ["application/json", jsonPieces({ fields: withMethod(form, this.operation, jsonFields), models })];
    const spooled = await this.spool(
      (async function* () {
        yield* pieces;
      })(),
    );
    return { ...spooled, type };
  }
}

async function* multipartPieces(boundary: string, meta: Fields, models: readonly string[]): AsyncGenerator<Uint8Array> {
  const part = (name: string, more = "") =>
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`);
  const lineEnd = Buffer.from("\r\n");
  yield part("meta");
  yield Buffer.from(JSON.stringify(meta));
  yield lineEnd;
  for (const path of models) {
    yield part("parameters", '; filename="parameters"');
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
    yield lineEnd;
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}
