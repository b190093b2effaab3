import { afterAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { listen } from "../../src/http/server.ts";
import { newPerson } from "../accounts/people.ts";
import { startApp } from "../app.ts";

const KIBIBYTE = 1024;
/** Room for two bodies of a key and for three of an address; four in total. */
const app = await startApp(`
general_settings:
  max_request_size_mb: 0.25
  max_request_memory_mb: 1
  max_request_memory_per_key_mb: 0.5
  max_request_memory_per_address_mb: 0.75
  request_body_timeout: 1
  trusted_proxies: [127.0.0.1]
`);
const server = listen(app.service.dispatcher, { host: "127.0.0.1", port: 0, drainTimeoutMs: 1_000 });
const sockets: Socket[] = [];
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.drain();
  await app.close();
});

const person = await newPerson(app);
const teams = (await person.send("GET", "/api/gw/teams")).body as { data: { id: string }[] };
const newKey = async (name: string): Promise<string> => {
  const made = await person.send("POST", "/api/gw/api-keys", { name, team_id: teams.data[0]?.id });
  return (made.body as { token: string }).token;
};
const keys = await Promise.all(["One", "Two", "Three", "Four", "Five"].map(newKey));

interface Client {
  readonly socket: Socket;
  /** The response, or an empty text if the client leaves first. */
  readonly response: Promise<string>;
}

const BODY_BYTES = 250_000;

/** Sends the headers and the first byte of a body, and waits until the server has had the time to read them. */
async function begin(key: string, address: string, framing = `content-length: ${BODY_BYTES}`): Promise<Client> {
  const socket = connect(server.port, "127.0.0.1");
  sockets.push(socket);
  let text = "";
  const response = new Promise<string>((resolve) => {
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (/"name":"\w+"/.test(text)) resolve(text);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
  await once(socket, "connect");
  const headers = `host: x\r\nauthorization: Bearer ${key}\r\nx-forwarded-for: ${address}\r\n${framing}`;
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`);
  // A request on another connection that was opened later is served later.
  await fetch(`${server.url}/health/liveliness`);
  return { socket, response };
}

const chat = (key: string, address: string): Promise<Response> =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-forwarded-for": address },
    body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: "x".repeat(100_000) }] }),
  });

/** Each client has a key and an address, by their numbers. */
const LIMITS: [string, [number, number][], RegExp][] = [
  [
    "of one key, from any address",
    [
      [0, 0],
      [0, 1],
      [0, 2],
    ],
    /with this key or session/,
  ],
  [
    "from one address, with any key",
    [
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 0],
    ],
    /from this address/,
  ],
  [
    "of the process, from anybody",
    [
      [0, 0],
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ],
    /bodies are arriving at the same time/,
  ],
];

describe("unfinished bodies", () => {
  test.each(LIMITS)("have a limit %s", async (_, callers, message) => {
    const callerOf = ([key, address]: [number, number]): [string, string] => [
      keys[key] ?? "",
      `192.0.2.${address + 1}`,
    ];
    const clients: Client[] = [];
    for (const caller of callers) clients.push(await begin(...callerOf(caller)));
    const rejected = await clients.at(-1)?.response;
    expect(rejected).toStartWith("HTTP/1.1 503");
    expect(rejected).toMatch(/^retry-after: 1\r$/im);
    expect(rejected).toMatch(message);
    for (const { socket } of clients) socket.destroy();
    const last = callerOf(callers.at(-1) ?? [0, 0]);
    // The room is free once the server has noticed that the clients left.
    let { status } = await chat(...last);
    while (status === 503) {
      await Bun.sleep(5);
      ({ status } = await chat(...last));
    }
    expect(status).toBe(200);
  });

  test("without a declared length count as they arrive", async () => {
    const [first, second, third] = await Promise.all(
      [0, 1, 2].map(() => begin(keys[0] ?? "", "192.0.2.1", "transfer-encoding: chunked")),
    );
    const chunk = `${BODY_BYTES.toString(16)}\r\n${"x".repeat(BODY_BYTES)}\r\n`;
    for (const client of [first, second, third]) client?.socket.write(chunk);
    const rejected = await Promise.any([first, second, third].map((client) => client?.response));
    expect(rejected).toStartWith("HTTP/1.1 503");
    for (const client of [first, second, third]) client?.socket.destroy();
  });

  test("that keep dripping end with a 408", async () => {
    const { socket, response } = await begin(keys[1] ?? "", "192.0.2.9");
    const drip = setInterval(() => socket.write(" "), 50);
    const ended = await response;
    clearInterval(drip);
    expect(ended).toStartWith("HTTP/1.1 408");
    expect(ended).toContain("did not arrive within 1 seconds");
  });
});

test("a client without credentials may send a body of 16 kB", async () => {
  const signIn = (bytes: number) =>
    app.call("/api/auth/token", { json: { email: "nobody@example.com", password: "x".repeat(bytes) } });
  expect((await signIn(17 * KIBIBYTE)).status).toBe(413);
  expect((await signIn(15 * KIBIBYTE)).status).not.toBe(413);
});
