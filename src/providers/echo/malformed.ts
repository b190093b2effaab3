import type { Malformed } from "./fault.ts";

const ENDLESS_BYTES = 256 * 1024 * 1024;
const HALF_JSON = '{"id":"chatcmpl-echo","object":"chat.completion","choices":[{"index":0,"mess';

/** Answers that no client expects and every gateway meets. `fault.ts` says what each is. */
export function malformedResponse(kind: Malformed, status: number, isStream: boolean): Response {
  const type = isStream ? "text/event-stream; charset=utf-8" : "application/json";
  switch (kind) {
    case "html":
      return reply("<html><head><title>Bad Gateway</title></head><body>nginx</body></html>\n", status, "text/html");
    case "half_json":
      return reply(isStream ? `data: ${HALF_JSON}\n\n` : HALF_JSON, status, type);
    case "empty":
      return reply(null, status, type);
    case "invalid_utf8":
      return reply(invalidUtf8(isStream), status, type);
    case "endless_line":
      return reply(endlessLine(isStream), status, type);
  }
}

function reply(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  status: number,
  type: string,
): Response {
  return new Response(body, { status, headers: { "content-type": type } });
}

/** A well-formed answer but for three bytes that no UTF-8 text has. */
function invalidUtf8(isStream: boolean): Uint8Array<ArrayBuffer> {
  const [before, after] = isStream
    ? ['data: {"choices":[{"index":0,"delta":{"content":"', '"}}]}\n\n']
    : ['{"choices":[{"index":0,"message":{"role":"assistant","content":"', '"}}]}'];
  return Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from(after)]);
}

/** Made only as fast as it is read; a reader without a bound of its own gets 256 MiB. */
function endlessLine(isStream: boolean): ReadableStream<Uint8Array> {
  const start = new TextEncoder().encode(isStream ? 'data: {"content":"' : '{"content":"');
  const block = new Uint8Array(16 * 1024).fill(0x78);
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const bytes = sent === 0 ? start : block;
        sent += bytes.length;
        controller.enqueue(bytes.slice());
        if (sent >= ENDLESS_BYTES) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
