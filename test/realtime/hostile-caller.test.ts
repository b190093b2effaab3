import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { RealtimeClient } from "./client.ts";
import { FakeUpstream } from "./fake-upstream.ts";
import { realtimeWorld } from "./world.ts";

const upstream = new FakeUpstream();
const litellm_params = { model: "openai/gpt-realtime", api_base: upstream.address, api_key: "k" };
const world = await realtimeWorld({
  model_list: [
    { model_name: "voice", litellm_params, model_info: { free: true } },
    { model_name: "offline", litellm_params: { model: "echo/realtime" }, model_info: { free: true } },
  ],
});
const { server, open, address } = world;
afterAll(async () => {
  await world.close();
  await upstream.stop();
});
beforeEach(() => Object.assign(upstream, { mood: "well", cancels: true, asked: 0 }));

const HANDSHAKE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  authorization: `Bearer ${MASTER_KEY}`,
};

describe("an opening that cannot become a WebSocket is refused before the upstream hears of it", () => {
  test.each([
    ["without its key", { "sec-websocket-key": "" }, "GET"],
    ["with a key that is none", { "sec-websocket-key": "short" }, "GET"],
    ["of another version", { "sec-websocket-version": "8" }, "GET"],
    ["by HEAD", {}, "HEAD"],
  ])("%s", async (_, more, method) => {
    const response = await fetch(address("voice"), { method, headers: { ...HANDSHAKE, ...more } });
    expect(response.status).toBe(400);
    expect(upstream.asked).toBe(0);
  });
});

test("an event that is nested too deeply to be written again is refused, and the session goes on", async () => {
  const client = await open("voice", MASTER_KEY);
  await client.next("session.created");
  const depth = 1_000_000;
  const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
  for (const event of [
    `{"type":"x","event_id":"e1","a":${deep}}`,
    `{"type":"response.create","response":{"a":${deep}}}`,
  ]) {
    const from = client.heard.length;
    client.socket.send(event);
    expect((await client.next("error", from)).error).toMatchObject({ code: "invalid_request" });
  }
  await client.ask("Hello");
  await client.close();
});

describe("a caller who never reads", () => {
  test("is not read either, however many wrong events there are to be told of", async () => {
    const client = await open("voice", MASTER_KEY);
    await client.next("session.created");
    client.socket.pause();
    const [wrong, times] = ["{".repeat(300), 100_000];
    for (let time = 0; time < times; time++) client.socket.send(wrong);
    expect(await settled(() => client.socket.bufferedAmount)).toBeGreaterThan(0);
    client.socket.resume();
    await client.until(() => (client.raw.length === times + 1 ? true : undefined));
    await client.close();
  }, 60_000);

  test("of an offline model is not answered without end", async () => {
    const client = await open("offline", MASTER_KEY);
    await client.next("session.created");
    client.socket.pause();
    const text = "x ".repeat(20_000);
    const item = { type: "message", role: "user", content: [{ type: "input_text", text }] };
    const PIECES = 2_000;
    for (let piece = 0; piece < PIECES; piece++) client.send({ type: "conversation.item.create", item });
    expect(await settled(() => client.socket.bufferedAmount)).toBeGreaterThan((PIECES * text.length) / 2);
    client.socket.resume();
    await client.until(() => (client.raw.length === 2 * PIECES + 1 ? true : undefined));
    await client.close();
  }, 60_000);
});

describe("a secret for browsers", () => {
  const make = async (headers: Record<string, string>, session: object): Promise<string> => {
    const response = await fetch(`${server.url}/v1/realtime/client_secrets`, {
      method: "POST",
      headers: { authorization: `Bearer ${MASTER_KEY}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ session: { model: "voice", ...session } }),
    });
    return ((await response.json()) as { value: string }).value;
  };

  test("says for whom the session is, and whoever has it cannot say otherwise", async () => {
    const value = await make({ "x-gw-end-user-id": "alice" }, {});
    const client = await RealtimeClient.open(address("voice"), {
      authorization: `Bearer ${value}`,
      "x-gw-end-user-id": "bob",
      "x-gw-customer-id": "bob",
    });
    upstream.usage = { total_tokens: 30, input_tokens: 20, output_tokens: 10 };
    await client.ask("Hello");
    await client.close();
    const rows = await world.rows();
    expect(rows.map(({ end_user }) => end_user)).not.toContain("bob");
    expect(rows.map(({ end_user }) => end_user)).toContain("alice");
  });

  test("sets a session before anything that is said in it", async () => {
    const value = await make({}, { instructions: "Be brief." });
    upstream.greets = false;
    const client = await RealtimeClient.open(address("voice"), { authorization: `Bearer ${value}` });
    client.send({ type: "input_audio_buffer.commit" });
    await until(() => upstream.last.heard.some(({ type }) => type === "input_audio_buffer.commit"));
    upstream.greets = true;
    expect(upstream.last.heard.map(({ type }) => type)).toEqual(["session.update", "input_audio_buffer.commit"]);
    await client.close();
  });
});

async function settled(read: () => number): Promise<number> {
  for (let before = read(); ; ) {
    await Bun.sleep(500);
    const now = read();
    if (now === before) return now;
    before = now;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(10);
}
