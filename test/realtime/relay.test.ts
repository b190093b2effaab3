import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { RealtimeClient } from "./client.ts";
import { FakeUpstream } from "./fake-upstream.ts";
import { realtimeWorld } from "./world.ts";

const one = new FakeUpstream("one");
const other = new FakeUpstream("other");
const azure = new FakeUpstream("azure");
const entry = (model_name: string, upstream: FakeUpstream, more: object = {}) => ({
  model_name,
  litellm_params: { model: "openai/gpt-realtime", api_base: upstream.address, api_key: "sk-upstream", ...more },
  model_info: { free: true },
});
const azureBase = azure.address.replace("/v1", "");
const world = await realtimeWorld({
  model_list: [
    entry("voice", one),
    entry("pair", one, { order: 1 }),
    entry("pair", other, { order: 2 }),
    entry("alone", one),
    entry("stand-in", other),
    entry("hurried", one, { stream_timeout: 0.3 }),
    {
      model_name: "azure",
      litellm_params: {
        model: "azure/my-voice",
        api_base: azureBase,
        api_key: "az",
        api_version: "2025-04-01-preview",
      },
      model_info: { free: true },
    },
    {
      model_name: "azure-newer",
      litellm_params: { model: "azure/my-voice", api_base: `${azureBase}/openai/v1`, api_key: "az", api_version: "v1" },
      model_info: { free: true },
    },
  ],
  router_settings: { num_retries: 1, retry_after: 0, disable_cooldowns: true, fallbacks: [{ alone: ["stand-in"] }] },
});
const { open, refused, address } = world;
afterAll(async () => {
  await world.close();
  await Promise.all([one.stop(), other.stop(), azure.stop()]);
});
beforeEach(() => {
  for (const upstream of [one, other]) Object.assign(upstream, { mood: "well", asked: 0, cancels: true });
});

describe("where a session goes", () => {
  test("to the deployment's address as a WebSocket, with its key and its name of the model", async () => {
    const client = await open("voice", MASTER_KEY);
    expect((await client.next("session.created")).session).toMatchObject({ model: "voice" });
    const { url, headers } = one.last;
    expect(url.pathname).toBe("/v1/realtime");
    expect(url.searchParams.get("model")).toBe("gpt-realtime");
    expect(headers.get("authorization")).toBe("Bearer sk-upstream");
    expect(headers.get("openai-beta")).toBeNull();
    await client.close();
  });

  test("as the interface from before its release, where the caller speaks that", async () => {
    const protocols = ["realtime", `openai-insecure-api-key.${MASTER_KEY}`, "openai-beta.realtime-v1"];
    const client = await RealtimeClient.open(address("voice"), {}, protocols);
    await client.next("session.created");
    expect(one.last.headers.get("openai-beta")).toBe("realtime=v1");
    await client.close();
  });

  test("to Azure's address of sessions, in its older form and its newer one", async () => {
    const client = await open("azure", MASTER_KEY);
    await client.next("session.created");
    expect(azure.last.url.pathname + azure.last.url.search).toBe(
      "/openai/realtime?api-version=2025-04-01-preview&deployment=my-voice",
    );
    expect(azure.last.headers.get("api-key")).toBe("az");
    await client.close();
    const newer = await open("azure-newer", MASTER_KEY);
    await newer.next("session.created");
    expect(azure.last.url.pathname + azure.last.url.search).toBe("/openai/v1/realtime?model=my-voice");
    await newer.close();
  });

  test.each([{ status: 500 }, { status: 401 }, { status: 429 }])(
    "to the next deployment where one answers with %j",
    async (mood) => {
      one.mood = mood;
      const client = await open("pair", MASTER_KEY);
      await client.next("session.created");
      expect(one.asked).toBe(1);
      expect(other.asked).toBe(1);
      await client.close();
    },
  );

  test("to the group that stands in for one that does not answer", async () => {
    one.mood = { status: 503 };
    const client = await open("alone", MASTER_KEY);
    await client.next("session.created");
    expect(other.asked).toBe(1);
    await client.close();
  });

  test("nowhere, which is answered before a WebSocket is opened", async () => {
    one.mood = { status: 500 };
    expect(await refused("voice", MASTER_KEY)).toMatchObject({ status: 502 });
    one.mood = { status: 200 };
    expect(await refused("voice", MASTER_KEY)).toMatchObject({ status: 502 });
  });

  test("nowhere, where the upstream says nothing in its time", async () => {
    one.mood = "hangs";
    expect(await refused("hurried", MASTER_KEY)).toMatchObject({ status: 408 });
  });
});

describe("what passes", () => {
  test("events both ways as they came, with what the runtime would not keep", async () => {
    const client = await open("voice", MASTER_KEY);
    await client.next("session.created");
    const odd = '{ "event_id":"e1", "type" : "rate_limits.updated", "n": 1.0, "rate_limits":[] }';
    one.last.socket.send(odd);
    await client.next("rate_limits.updated");
    expect(client.raw).toContain(odd);
    client.socket.send('{"type": "input_audio_buffer.append", "audio": "AAAA"}');
    client.send({ type: "input_audio_buffer.commit", event_id: "mine" });
    await heard("input_audio_buffer.commit");
    expect(one.last.heard).toEqual([
      { type: "input_audio_buffer.append", audio: "AAAA" },
      { type: "input_audio_buffer.commit", event_id: "mine" },
    ]);
    await client.close();
  });

  test("no other model, however it is hidden in an event", async () => {
    const client = await open("voice", MASTER_KEY);
    await client.next("session.created");
    for (const text of [
      '{"type":"session.update","event_id":"x","session":{"type":"realtime","model":"dearer"}}',
      '{"type":"session.\\u0075pdate","session":{"model":"dearer"}}',
      '{"type":"input_audio_buffer.append","audio":"AAAA","type":"session.update","session":{"model":"dearer"}}',
    ]) {
      const from = client.heard.length;
      client.socket.send(text);
      expect((await client.next("error", from)).error).toMatchObject({
        code: "invalid_request",
        param: "session.model",
      });
    }
    client.send({ type: "session.update", session: { type: "realtime", model: "voice", instructions: "Hi" } });
    expect((await client.next("session.updated")).session).toEqual({
      type: "realtime",
      instructions: "Hi",
      model: "voice",
    });
    expect(one.last.heard).toEqual([{ type: "session.update", session: { type: "realtime", instructions: "Hi" } }]);
    await client.close();
  });

  test("nothing that is no event, which is said so", async () => {
    const client = await open("voice", MASTER_KEY);
    await client.next("session.created");
    for (const frame of ["{", "[]", '{"a":1}', new Uint8Array([1, 2])]) {
      const from = client.heard.length;
      client.socket.send(frame as string);
      await client.next("error", from);
    }
    expect(one.last.heard).toEqual([]);
    await client.close();
  });

  test("the code and the reason of a close, from either side", async () => {
    const client = await open("voice", MASTER_KEY);
    await client.next("session.created");
    one.last.socket.close(4001, "enough");
    expect(await client.closed).toEqual({ code: 4001, reason: "enough" });
    const second = await open("voice", MASTER_KEY);
    await second.next("session.created");
    const { socket } = one.last;
    await second.close();
    await until(() => socket.readyState === 3);
  });

  test("that the upstream broke off, as an error and a close", async () => {
    const client = await open("voice", MASTER_KEY);
    await client.next("session.created");
    one.last.socket.terminate();
    expect((await client.next("error")).error).toMatchObject({ code: expect.any(String) });
    expect((await client.closed).code).toBe(1011);
  });

  test("no frame that is larger than sixteen megabytes, from either side", async () => {
    const client = await open("voice", MASTER_KEY);
    await client.next("session.created");
    client.socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio: "A".repeat(17 * 1024 * 1024) }));
    await client.closed;
    const second = await open("voice", MASTER_KEY);
    await second.next("session.created");
    one.last.socket.send(JSON.stringify({ type: "response.output_audio.delta", delta: "A".repeat(17 * 1024 * 1024) }));
    expect((await second.closed).code).toBe(1009);
  });
});

describe("a slow reader", () => {
  const PIECE = JSON.stringify({ type: "response.output_audio.delta", delta: "A".repeat(256 * 1024) });
  const PIECES = 400;

  test("on the caller's side stops the upstream, and gets everything in the end", async () => {
    const client = await open("voice", MASTER_KEY);
    await client.next("session.created");
    client.socket.pause();
    const { socket } = one.last;
    for (let piece = 0; piece < PIECES; piece++) socket.send(PIECE);
    // What does not leave the upstream any more waits there, and not in the gateway.
    expect(await settled(() => socket.getBufferedAmount())).toBeGreaterThan((PIECES * PIECE.length) / 2);
    client.socket.resume();
    await client.until(() => (client.raw.length === PIECES + 1 ? true : undefined));
    await client.close();
  }, 60_000);

  test("at the upstream stops the caller, and gets everything in the end", async () => {
    const client = await open("voice", MASTER_KEY);
    await client.next("session.created");
    const { socket, heard: taken } = one.last;
    socket.pause();
    const append = JSON.stringify({ type: "input_audio_buffer.append", audio: "A".repeat(256 * 1024) });
    for (let piece = 0; piece < PIECES; piece++) client.socket.send(append);
    expect(await settled(() => client.socket.bufferedAmount)).toBeGreaterThan((PIECES * append.length) / 2);
    socket.resume();
    await until(() => taken.length === PIECES);
    await client.close();
  }, 60_000);
});

/** A number once it does not change any more. */
async function settled(read: () => number): Promise<number> {
  for (let before = read(); ; ) {
    await Bun.sleep(300);
    const now = read();
    if (now === before) return now;
    before = now;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(10);
}

const heard = (type: string): Promise<void> => until(() => one.last.heard.some((event) => event.type === type));
