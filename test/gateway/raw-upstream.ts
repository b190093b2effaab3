import { createServer, type Socket } from "node:net";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import { startBooked } from "../metering/booked-app.ts";

/** What an upstream sends, byte for byte, to whoever calls the model of this name. */
export interface Raw {
  readonly provider: string;
  readonly sent: Uint8Array;
  /** The connection breaks behind it. */
  readonly cut?: boolean;
}

const encoder = new TextEncoder();
const codec = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes),
  (text) => encoder.encode(text),
);
const header = (value: string) => ({ type: "string" as const, value });

export function awsEvent(type: string, payload: object): Uint8Array {
  const kind = type.endsWith("Exception") ? "exception" : "event";
  const headers = { [`:${kind}-type`]: header(type), ":message-type": header(kind) };
  return codec.encode({ headers, body: encoder.encode(JSON.stringify(payload)) });
}

export const reply = (status: string, type: string, body: string | Uint8Array, more = ""): Uint8Array =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    ),
    Buffer.from(body),
  ]);

/** The same without an end. */
export const unended = (type: string, body: string | Uint8Array): Uint8Array =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`),
    Buffer.from(`${Buffer.byteLength(body).toString(16)}\r\n`),
    Buffer.from(body),
    Buffer.from("\r\n"),
  ]);

export const json = (body: unknown): Uint8Array => reply("200 OK", "application/json", JSON.stringify(body));
export const events = (...all: unknown[]): string =>
  all.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("");
export const namedEvents = (...all: readonly object[]): string =>
  all.map((one) => `event: ${(one as { type: string }).type}\ndata: ${JSON.stringify(one)}\n\n`).join("");

/** A gateway over upstreams that send what is listed, or what is put into the list later. */
export async function startRaw(raws: Record<string, Raw>, settings: object = {}) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let got = "";
    socket.on("data", (data) => {
      got += data.toString("latin1");
      const raw = raws[decodeURIComponent(/^POST \/([^/]+)\//.exec(got)?.[1] ?? "")];
      const bodyAt = got.indexOf("\r\n\r\n") + 4;
      const length = Number(/content-length: (\d+)/i.exec(got)?.[1] ?? 0);
      if (!raw || bodyAt < 4 || got.length < bodyAt + length) return;
      got = "";
      if (raw.cut) socket.end(raw.sent, () => socket.destroy());
      else socket.write(raw.sent);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  const { app, books } = await startBooked(
    {
      model_list: Object.entries(raws).map(([name, { provider }]) => ({
        model_name: name,
        litellm_params: {
          model: `${provider}/x`,
          api_base: `http://127.0.0.1:${port}/${encodeURIComponent(name)}`,
          api_key: "sk-upstream",
          ...(provider === "azure" && { api_version: "2024-10-21" }),
          ...(provider === "bedrock" && { aws_region_name: "us-east-1" }),
        },
        model_info: {
          input_cost_per_token: 0.000001,
          output_cost_per_token: 0.000002,
          cache_read_input_token_cost: 0.0000001,
          cache_creation_input_token_cost: 0.00000125,
          cache_creation_input_token_cost_above_1hr: 0.000002,
        },
      })),
      router_settings: { num_retries: 0, ...settings },
    },
    { stop },
  );
  const key = app.first.demoKey ?? "";
  const post = (path: string, model: string, fields: object) => app.call(path, { key, json: { model, ...fields } });
  const chat = (model: string, stream: boolean, fields: object = {}) =>
    post("/v1/chat/completions", model, { stream, messages: [{ role: "user", content: "hi" }], ...fields });
  return { books, post, chat };
}
