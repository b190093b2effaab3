import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { MASTER_KEY } from "../app.ts";
import { FakeUpstream } from "./fake-upstream.ts";
import { realtimeWorld } from "./world.ts";

/** What changes while a session is open. */
const upstream = new FakeUpstream();
const litellm_params = { model: "openai/gpt-realtime", api_base: upstream.address, api_key: "k" };
const model_info = { free: true };
const world = await realtimeWorld({ model_list: [{ model_name: "voice", litellm_params, model_info }] });
const { server, own, operator, newKey, open } = world;
afterAll(async () => {
  await world.close();
  await upstream.stop();
});

test("a model that is taken out ends its sessions", async () => {
  await operator.post("/model/new", {
    model_name: "short",
    litellm_params,
    model_info: { ...model_info, id: "short-1" },
  });
  const client = await open("short", (await newKey()).key);
  expect((await operator.post("/model/delete", { id: "short-1" })).status).toBe(200);
  expect(await client.ended()).toEqual({ code: 1008, error: "model_not_found" });
}, 20_000);

const setPower = async (id: string, enabled: boolean): Promise<number> =>
  (await operator.send("PATCH", `/api/admin/deployments/${id}`, { enabled })).status;

test("a deployment that is switched off ends the response under way, takes no other, and ends its sessions", async () => {
  await operator.post("/model/new", {
    model_name: "switched",
    litellm_params,
    model_info: { ...model_info, id: "switched-1" },
  });
  const { key } = await newKey();
  const [silent, speaking] = [await open("switched", key), await open("switched", key)];
  const id = upstream.speak();
  await speaking.next("response.created");
  expect(await setPower("switched-1", false)).toBe(200);
  expect(await silent.ended()).toEqual({ code: 1001, error: "service_unavailable" });

  speaking.send({ type: "response.create", event_id: "one-more" });
  expect(await speaking.next("error")).toMatchObject({ error: { code: "service_unavailable", event_id: "one-more" } });
  upstream.finish(id);
  await speaking.next("response.done");
  expect(await speaking.ended()).toEqual({ code: 1001, error: "service_unavailable" });
  expect((await world.refused("switched", key)).status).toBe(503);
  expect(await setPower("switched-1", true)).toBe(200);
  await (await open("switched", key)).close();
}, 20_000);

test("a session that has lasted as long as it may is told so, and ends", async () => {
  const model_list = [{ model_name: "voice", litellm_params, model_info }];
  const brief = await realtimeWorld({ model_list, general_settings: { max_realtime_session: 1 } });
  const client = await brief.open("voice", MASTER_KEY);
  expect(await client.next("error")).toMatchObject({
    error: {
      type: "invalid_request_error",
      code: "session_expired",
      message: "Your session hit the maximum duration of 1 second.",
    },
  });
  expect((await client.closed).code).toBe(1001);
  await brief.close();
}, 20_000);

test("a key that is gone ends its sessions, also where its address has tried too many keys to be told so", async () => {
  const { id, key } = await newKey();
  const client = await open("voice", key);
  expect((await own.send("DELETE", `/api/gw/api-keys/${id}`)).status).toBe(200);
  for (let guess = 0; guess < 70; guess++) {
    await fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer sk-guess-${guess}` } });
  }
  expect((await client.ended()).code).toBe(1008);
}, 20_000);

test.each([
  ["from other addresses alone", () => ({ allowedIps: ["10.0.0.0/8"] }), "permission_denied"],
  ["until a moment ago", () => ({ expiresAt: new Date(Date.now() + 3_000).toISOString() }), "invalid_api_key"],
])(
  "a key that may be used %s ends its sessions, and those of its secrets",
  async (_, change, error) => {
    const { id, key } = await newKey();
    const made = await fetch(`${server.url}/v1/realtime/client_secrets`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ session: { model: "voice" } }),
    });
    const { value } = (await made.json()) as { value: string };
    const clients = [await open("voice", key), await open("voice", value)];
    expect((await own.send("PATCH", `/api/gw/api-keys/${id}`, change())).status).toBe(200);
    for (const client of clients) expect(await client.ended()).toEqual({ code: 1008, error });
  },
  20_000,
);

test("a team that is blocked ends the sessions of its keys", async () => {
  const client = await open("voice", (await newKey()).key);
  expect((await operator.post("/team/block", { team_id: world.teamId })).status).toBe(200);
  expect(await client.ended()).toEqual({ code: 1008, error: "team_blocked" });
  expect((await operator.post("/team/unblock", { team_id: world.teamId })).status).toBe(200);
}, 20_000);

test("a server that stops says so before it closes", async () => {
  const client = await open("voice", MASTER_KEY);
  await world.app.service.realtime.stop();
  expect(await client.ended()).toEqual({ code: 1001, error: "service_unavailable" });
});

test("an upstream that does not answer a close is not waited for without end", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const mute = createServer((socket: Socket) => {
    socket.on("close", () => resolve()).on("error", () => undefined);
    socket.once("data", (opening) => {
      const key = /sec-websocket-key: (.*)\r\n/i.exec(String(opening))?.[1];
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.on("data", () => undefined);
    });
  });
  await new Promise<void>((listening) => mute.listen(0, "127.0.0.1", () => listening()));
  const { port } = mute.address() as { port: number };
  const api_base = `http://127.0.0.1:${port}/v1`;
  await operator.post("/model/new", {
    model_name: "mute",
    litellm_params: { ...litellm_params, api_base },
    model_info,
  });
  const client = await open("mute", MASTER_KEY);
  await client.close();
  await promise;
  mute.close();
}, 20_000);
