import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { isNightly } from "../../property-runs.ts";
import { newFolder, startTurnpike, type Turnpike } from "../process.ts";

const MASTER = "sk-master-key-of-unfinished-bodies";
const MEBIBYTE = 1024 * 1024;
/** The full number is measured every night. */
const STRANGERS = isNightly ? 800 : 100;
/** Nearly a mebibyte. */
const PART = Buffer.alloc(1_000_000, " ");

const folder = newFolder();
const running: Turnpike[] = [];
afterAll(async () => {
  for (const turnpike of running) turnpike.kill("SIGKILL");
  await Promise.all(running.map(({ exited }) => exited));
  folder.remove();
});

const start = async (): Promise<Turnpike> => {
  writeFileSync(join(folder.path, "turnpike.yaml"), "general_settings:\n  log_level: error\n");
  const turnpike = await startTurnpike(folder.path, { TURNPIKE_MASTER_KEY: MASTER });
  running.push(turnpike);
  return turnpike;
};

const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

interface Sent {
  readonly path: string;
  /** Besides those that every request has; the length among them. */
  readonly headers: string;
  /** How much of the body is sent: less than its length. */
  readonly mebibytes: number;
}

interface Client {
  readonly socket: Socket;
  /** The head of the response. */
  readonly response: Promise<string>;
}

/** Announces a body, sends it without its end, and listens for the response, which stops the sending. */
async function sendUnfinished(url: string, { path, headers, mebibytes }: Sent): Promise<Client> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = "";
  const response = new Promise<string>((resolve) => {
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.includes("\r\n\r\n")) resolve(text);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
  const ended = response.then(() => true);
  await once(socket, "connect");
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`);
  for (let part = 0; part < mebibytes; part++) {
    const written = new Promise<boolean>((resolve) => socket.write(PART, () => resolve(false)));
    if (await Promise.race([written, ended])) break;
  }
  return { socket, response };
}

/** Measures how the memory of a new server grows while clients leave their bodies unfinished. */
async function measure(count: number, sent: Sent) {
  const turnpike = await start();
  await fetch(`${turnpike.url}/health/readiness`);
  const before = residentBytes(turnpike.pid);
  let highest = before;
  const clients: Client[] = [];
  for (let at = 0; at < count; at++) {
    clients.push(await sendUnfinished(turnpike.url, sent));
    highest = Math.max(highest, residentBytes(turnpike.pid));
  }
  // The server responds while the bodies are unfinished.
  expect((await fetch(`${turnpike.url}/health/readiness`)).status).toBe(200);
  highest = Math.max(highest, residentBytes(turnpike.pid));
  return { turnpike, clients, grownBytes: highest - before };
}

const stop = ({ turnpike, clients }: Awaited<ReturnType<typeof measure>>): void => {
  for (const { socket } of clients) socket.destroy();
  turnpike.kill("SIGKILL");
};

const LENGTH = "Content-Length: 1040000";

test.each([
  ["a sign-in", "/api/auth/token", LENGTH, "413"],
  ["a call without a key", "/v1/chat/completions", LENGTH, "401"],
  ["a call with a key that is unknown", "/v1/chat/completions", `${LENGTH}\r\nAuthorization: Bearer sk-unknown`, "401"],
  ["a path that is unknown", "/nowhere", LENGTH, "404"],
  ["a health check", "/health/liveliness", LENGTH, "405"],
])(
  "unfinished bodies of 1 MB of %s take little memory, and each gets a response",
  async (_, path, headers, status) => {
    const measured = await measure(STRANGERS, { path, headers, mebibytes: 1 });
    const responses = await Promise.all(measured.clients.map(({ response }) => response));
    expect(new Set(responses.map((text) => text.slice(9, 12)))).toEqual(new Set([status]));
    expect(measured.grownBytes).toBeLessThan((isNightly ? 100 : 40) * MEBIBYTE);
    stop(measured);
  },
  120_000,
);

test("unfinished bodies of 31 MB with a key take the memory that a key may use", async () => {
  const headers = `Content-Length: 32505856\r\nAuthorization: Bearer ${MASTER}`;
  const measured = await measure(isNightly ? 80 : 12, { path: "/v1/chat/completions", headers, mebibytes: 30 });
  // Two fit; each of the others gets its response as soon as it exceeds the limit. A reset of the connection, which the
  // client still writes to, may overtake the response.
  const responses = await Promise.all(measured.clients.slice(2).map(({ response }) => response));
  expect(responses.filter((text) => text !== "" && !text.startsWith("HTTP/1.1 503"))).toEqual([]);
  expect(measured.grownBytes).toBeLessThan(200 * MEBIBYTE);
  stop(measured);
}, 120_000);
