import { createHash } from "node:crypto";
import { Failure, invalid, tooLarge } from "../failure.ts";
import type { Limits } from "../limits.ts";
import { ByteSink } from "./byte-sink.ts";
import type { Fields } from "./fields.ts";
import { inflated } from "./inflated.ts";
import { JsonScanner, type ScanOptions } from "./json-scanner.ts";
import { boundaryOf, MultipartScanner } from "./multipart.ts";

export type Form = "json" | "binary" | "multipart";

interface Scanner {
  push(bytes: Uint8Array): void;
  end(): Fields;
}

/** The binary types are what they say; everything else, and none, is read as JSON. */
export function formOf(request: Request): Form {
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type === "application/octet-stream") return "binary";
  return type === "multipart/form-data" ? "multipart" : "json";
}

/** Reads the body while it arrives, within the limits, and checks the digest that came with it. */
export async function readFields(request: Request, shapes: ScanOptions["shapes"], limits: Limits): Promise<Fields> {
  const form = formOf(request);
  const bytesMax = form === "json" ? limits.jsonBytesMax : limits.binaryBytesMax;
  const gzip = isGzip(request);
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > bytesMax) throw tooLarge("the body", bytesMax);

  const digest = expectedDigest(request);
  const hash = createHash("sha256");
  const wire = withinTime(request.body, limits, bytesMax, (bytes) => digest !== null && hash.update(bytes));
  const scanner = scannerFor(form, request, shapes, limits, gzip ? 0 : length);
  for await (const piece of gzip ? inflated(wire, bytesMax) : wire) scanner.push(piece);
  if (digest !== null && !digest.equals(hash.digest())) {
    throw invalid("digest_mismatch", "the body is not the one that Content-Digest speaks of");
  }
  return scanner.end();
}

function scannerFor(
  form: Form,
  request: Request,
  shapes: ScanOptions["shapes"],
  limits: Limits,
  length: number,
): Scanner {
  if (form === "binary") return binaryScanner(length, request.headers.get("x-turnpike-dataset"));
  if (form === "multipart") {
    return new MultipartScanner(boundaryOf(request.headers.get("content-type") ?? ""), {
      metaBytesMax: limits.fieldBytesMax,
      entriesMax: limits.listEntriesMax,
      guess: 0,
    });
  }
  return new JsonScanner({
    shapes,
    fieldBytesMax: limits.fieldBytesMax,
    listEntriesMax: limits.listEntriesMax,
    guess: Math.ceil(length / 4) * 3,
  });
}

function binaryScanner(length: number, dataset: string | null): Scanner {
  const sink = new ByteSink(length);
  return {
    push: (bytes) => sink.add(bytes),
    end() {
      const fields: Fields = new Map([["parameters", sink.finish()]]);
      const name = dataset?.replace(/^local:/, "");
      if (name !== undefined) fields.set("dataset", { $ref: `local:${name}` });
      return fields;
    },
  };
}

function isGzip(request: Request): boolean {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "" || encoding === "identity") return false;
  if (encoding === "gzip") return true;
  throw new Failure(415, "content_encoding", "the body is encoded in a way that is not read here; gzip is", {
    headers: { "accept-encoding": "gzip" },
  });
}

function expectedDigest(request: Request): Buffer | null {
  const header = request.headers.get("content-digest");
  const found = header === null ? null : /(?:^|,)\s*sha-256=:([^:]*):/.exec(header);
  return found === null ? null : Buffer.from(found[1] ?? "", "base64");
}

async function* withinTime(
  body: ReadableStream<Uint8Array> | null,
  limits: Limits,
  bytesMax: number,
  seen: (bytes: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  let total = 0;
  let begunAtMs = 0;
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), total === 0 ? limits.firstByteMs : limits.idleMs);
      if (total === 0) begunAtMs = performance.now();
      if (done) return;
      total += value.length;
      // A byte now and then is not idle, and would hold the place for ever.
      const lateMs = performance.now() - begunAtMs - limits.idleMs;
      if (lateMs > 0 && total < (lateMs / 1000) * limits.bodyRateMin) throw slowBody();
      if (total > bytesMax) throw tooLarge("the body", bytesMax);
      seen(value);
      yield value;
    }
  } finally {
    // Nothing waits for the rest of a body that was refused.
    reader.cancel().catch(() => undefined);
  }
}

const slowBody = (): Failure => new Failure(408, "slow_body", "the body did not arrive in time");

async function inTime<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(slowBody()), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
