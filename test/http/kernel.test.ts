import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { listen } from "../../src/http/server.ts";
import { MASTER_KEY, startApp } from "../app.ts";

const app = await startApp("general_settings:\n  max_request_size_mb: 1\n");
const server = listen(app.service.dispatcher, { host: "127.0.0.1", port: 0, drainTimeoutMs: 1_000 });
afterAll(async () => {
  await server.drain();
  await app.close();
});

const chat = { model: "echo", messages: [{ role: "user", content: "hi" }] };
const CHAT = "/v1/chat/completions";

describe("a request id", () => {
  test("is new for each call", async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await app.call("/health/liveliness")).headers.get("x-gw-call-id")),
    );
    expect(new Set(ids).size).toBe(2);
  });

  test("of the caller is echoed, and is not our own", async () => {
    const response = await app.call(CHAT, { key: MASTER_KEY, json: chat, headers: { "x-gw-call-id": "my-id-1" } });
    expect(response.headers.get("x-gw-call-id")).toBe("my-id-1");
  });

  test("of our own is `x-request-id`, whatever the caller sends", async () => {
    const plain = await app.call("/health/liveliness");
    expect(plain.headers.get("x-request-id")).toBe(plain.headers.get("x-gw-call-id"));
    const headers = { "x-gw-call-id": "my-id-2", "x-request-id": "my-id-3" };
    const named = await app.call(CHAT, { key: MASTER_KEY, json: chat, headers });
    expect(named.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
  });

  test.each([["x".repeat(129)], ["has space"], ["ümlaut"]])("that is not one is replaced, %#", async (id) => {
    const headers = { "x-gw-call-id": encodeURIComponent(id) === id ? id : Buffer.from(id).toString("latin1") };
    const response = await app.call("/health/liveliness", { headers });
    expect(response.headers.get("x-gw-call-id")).toMatch(/^[\w-]{36}$/);
  });
});

describe("a body", () => {
  test("that hides its length is counted while it arrives", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(120));
        if (sent > 64 * 1024 * 1024) controller.close();
      },
    });
    const response = await app.call(CHAT, {
      method: "POST",
      key: MASTER_KEY,
      headers: { "content-type": "application/json" },
      body: endless,
    });
    expect(response.status).toBe(413);
    expect(sent).toBeLessThan(4 * 1024 * 1024);
  });

  test("that announces too much is refused before it is sent", async () => {
    const answer = await rawRequest(
      `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${MASTER_KEY}\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n{`,
    );
    expect(answer).toStartWith("HTTP/1.1 413");
  });

  test("nested past any use is refused", async () => {
    const deep = `{"model":"echo","messages":[{"role":"user","content":"x"}],"extra":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const response = await app.call(CHAT, {
      key: MASTER_KEY,
      body: deep,
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("nested too deeply");
  });

  test("with prototype keys changes no prototype", async () => {
    const body = `{"model":"echo","messages":[{"role":"user","content":"hi","__proto__":{"polluted":1}}],"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`;
    const response = await app.call(CHAT, { key: MASTER_KEY, body, headers: { "content-type": "application/json" } });
    expect(response.status).toBe(200);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("with a duplicate key is served as it was validated", async () => {
    const body = `{"model":"no-such","model":"echo","messages":[{"role":"user","content":"hi"}]}`;
    const response = await app.call(CHAT, { key: MASTER_KEY, body, headers: { "content-type": "application/json" } });
    expect(response.status).toBe(200);
  });

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON;charset=UTF-8",
    "application/vnd.api+json",
  ])("is read with the type %s", async (type) => {
    const init = { key: MASTER_KEY, body: JSON.stringify(chat), headers: { "content-type": type } };
    expect((await app.call(CHAT, init)).status).toBe(200);
  });
});

describe("which route is called", () => {
  test.each([
    ["a Host with a path in it", "GET /health HTTP/1.1\r\nHost: x/health/liveliness?\r\n\r\n", 401],
    ["an absolute target", "GET http://x/health HTTP/1.1\r\nHost: y\r\n\r\n", 401],
    ["a doubled slash", "GET //health/liveliness HTTP/1.1\r\nHost: x\r\n\r\n", 404],
    ["an encoded letter", "GET /%68ealth HTTP/1.1\r\nHost: x\r\n\r\n", 404],
    ["an encoded slash", "GET /health%2fliveliness HTTP/1.1\r\nHost: x\r\n\r\n", 404],
    ["a dot segment", "GET /docs/../health HTTP/1.1\r\nHost: x\r\n\r\n", 401],
    ["another case", "GET /HEALTH HTTP/1.1\r\nHost: x\r\n\r\n", 404],
    ["a matrix parameter", "GET /health;x=/health/liveliness HTTP/1.1\r\nHost: x\r\n\r\n", 404],
    ["a method override", "GET /health HTTP/1.1\r\nHost: x\r\nX-HTTP-Method-Override: OPTIONS\r\n\r\n", 401],
  ])("is not changed by %s", async (_, request, status) => {
    const answer = await rawRequest(request);
    // What the server itself refuses as malformed is as good as our own refusal; an open door is not.
    expect([status, 400, 404]).toContain(Number(answer.slice(9, 12)));
  });
});

describe("the same call", () => {
  test("has one answer with and without a socket", async () => {
    const init = {
      method: "POST",
      headers: { authorization: `Bearer ${MASTER_KEY}`, "content-type": "application/json" },
    };
    const direct = await app.call(CHAT, { key: MASTER_KEY, json: chat });
    const wired = await fetch(server.url + CHAT, { ...init, body: JSON.stringify(chat) });
    const stable = async (response: Response) => ({ ...((await response.json()) as object), id: "", created: 0 });
    expect(await stable(wired)).toEqual(await stable(direct));
  });
});

/** Sends bytes as they are and gives what comes back until the connection ends or is quiet. */
function rawRequest(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(server.port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      socket.end();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}
