import { createHash } from "node:crypto";
import { base64Length, encodeBase64 } from "./body/base64.ts";
import { codeOf, type Failure } from "./failure.ts";
import type { Result } from "./results.ts";

const JSON_TYPE = "application/json";
const BINARY_TYPE = "application/octet-stream";
const PIECE = 256 * 1024;

export function answerFailure({ status, reason, message, more }: Failure, requestId: string): Response {
  const details = more.path === undefined ? {} : { details: [{ path: more.path, message }] };
  const body = { error: message, code: codeOf(status), reason, request_id: requestId, ...details };
  return answerJson(body, status, more.headers);
}

export function answerJson(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const digest = createHash("sha256").update(bytes);
  return new Response(bytes, {
    status,
    headers: { "content-type": JSON_TYPE, "content-digest": digestHeader(digest), ...headers },
  });
}

/** The result in the form that was asked for. Parameters leave in pieces; their text never exists as a whole. */
export function answerResult(result: Result, binary: boolean): Response {
  const { parameters, numbers } = result;
  if (parameters === undefined) return answerJson(Object.fromEntries(numbers));
  if (binary) return answerBinary(parameters, numbers);
  const rest = JSON.stringify(Object.fromEntries(numbers));
  const [head, tail] = [Buffer.from('{"parameters":"'), Buffer.from(rest === "{}" ? '"}' : `",${rest.slice(1)}`)];
  function* pieces(reuse: boolean) {
    yield head;
    yield* encodeBase64(parameters as Uint8Array, reuse);
    yield tail;
  }
  const hash = createHash("sha256");
  for (const piece of pieces(true)) hash.update(piece);
  return new Response(streamOf(pieces(false)), {
    headers: {
      "content-type": JSON_TYPE,
      "content-length": String(head.length + base64Length(parameters.length) + tail.length),
      "content-digest": digestHeader(hash),
    },
  });
}

function answerBinary(parameters: Uint8Array, numbers: Result["numbers"]): Response {
  const { num_examples: numExamples, metrics } = Object.fromEntries(numbers);
  return new Response(streamOf(piecesOf(parameters)), {
    headers: {
      "content-type": BINARY_TYPE,
      "content-length": String(parameters.length),
      "content-digest": digestHeader(createHash("sha256").update(parameters)),
      ...(numExamples === undefined ? {} : { "x-turnpike-num-examples": String(numExamples) }),
      ...(metrics === undefined ? {} : { "x-turnpike-metrics": asciiJson(metrics) }),
    },
  });
}

/** A Response made of an array would copy it. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

function streamOf(pieces: Generator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull(controller) {
        const { done, value } = pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void pieces.return(undefined),
    },
    { highWaterMark: 1 },
  );
}

const digestHeader = (hash: ReturnType<typeof createHash>): string => `sha-256=:${hash.digest("base64")}:`;

/** Headers carry ASCII only. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
