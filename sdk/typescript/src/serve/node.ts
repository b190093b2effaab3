import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Settings } from "../settings.ts";
import { addressOf, type Handle, type Listener } from "./listener.ts";

const QUEUED_BYTES = 1024 * 1024;

export async function listenOnNode(handle: Handle, { host, port }: Settings): Promise<Listener> {
  // Loaded where it serves: who only reads and writes what participants say starts without it.
  const { createServer } = await import("node:http");
  // Bodies of hundreds of megabytes take longer than Node's five minutes on slow lines; silence is bounded elsewhere.
  const server = createServer({ requestTimeout: 0 }, (message, response) => {
    relay(handle, message, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: own } = server.address() as AddressInfo;
  return {
    url: addressOf(host, own),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function relay(handle: Handle, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const answer = await handle(requestOf(message, gone.signal));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body !== null && message.method !== "HEAD") {
    for await (const piece of answer.body) {
      if (response.destroyed) return;
      if (!response.write(piece)) await drained(response);
    }
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off("drain", go);
      response.off("close", go);
      resolve();
    };
    response.on("drain", go);
    response.on("close", go);
  });
}

/** Methods that a Request cannot have are none of ours either. */
const UNSPEAKABLE = new Set(["CONNECT", "TRACE", "TRACK"]);

function requestOf(message: IncomingMessage, signal: AbortSignal): Request {
  const method = message.method ?? "GET";
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    for (const item of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, item);
  }
  const hasBody = method !== "GET" && method !== "HEAD" && !UNSPEAKABLE.has(method);
  return new Request(new URL(message.url ?? "/", "http://participant").href, {
    method: UNSPEAKABLE.has(method) ? "DELETE" : method,
    headers,
    signal,
    ...(hasBody ? { body: bodyOf(message), duplex: "half" } : {}),
  } as RequestInit);
}

/** Not `Readable.toWeb`: cancelling that one would cut the connection before the answer has left. */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        message.on("data", (piece: Buffer) => {
          controller.enqueue(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength));
          if ((controller.desiredSize ?? 0) <= 0) message.pause();
        });
        message.once("end", () => controller.close());
        message.once("error", (error) => controller.error(error));
        message.pause();
      },
      pull: () => void message.resume(),
      cancel() {
        message.removeAllListeners("data");
        message.removeAllListeners("end");
        message.resume();
      },
    },
    { highWaterMark: QUEUED_BYTES, size: (piece) => piece?.byteLength ?? 0 },
  );
}
