import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { RealtimeClient, refusal } from "./client.ts";
import { FakeUpstream } from "./fake-upstream.ts";
import { LogSince, until } from "./log-since.ts";
import { realtimeWorld } from "./world.ts";

const upstream = new FakeUpstream();
const PRICES = {
  input_cost_per_token: 1e-6,
  output_cost_per_token: 2e-6,
  cache_read_input_token_cost: 5e-7,
  input_cost_per_audio_token: 1e-5,
  output_cost_per_audio_token: 2e-5,
  cache_read_input_audio_token_cost: 1e-7,
  base_model: "gpt-realtime",
};
const litellm_params = { model: "openai/gpt-realtime", api_base: upstream.address, api_key: "k" };
const world = await realtimeWorld({
  model_list: [
    { model_name: "voice", litellm_params, model_info: PRICES },
    {
      model_name: "dear",
      litellm_params,
      model_info: { base_model: "gpt-realtime", input_cost_per_token: 0.1, output_cost_per_token: 0.1 },
    },
  ],
  general_settings: { signup_credits: 100 },
});
const { open, refused, newKey, own, address } = world;
afterAll(async () => {
  await world.close();
  await upstream.stop();
});

const PLAIN = { total_tokens: 30, input_tokens: 20, output_tokens: 10 };
const log = new LogSince(world);
const added = () => log.added();
beforeEach(async () => {
  Object.assign(upstream, { usage: PLAIN, cancels: true });
  await log.begin();
});

describe("what a response costs", () => {
  test("text, sound and what a cache had of either, each at its own price, in a row of its own", async () => {
    upstream.usage = {
      total_tokens: 1_300,
      input_tokens: 1_000,
      output_tokens: 300,
      input_token_details: {
        text_tokens: 400,
        audio_tokens: 600,
        cached_tokens: 500,
        cached_tokens_details: { text_tokens: 100, audio_tokens: 400 },
      },
      output_token_details: { text_tokens: 100, audio_tokens: 200 },
    };
    const { key } = await newKey();
    const client = await open("voice", key);
    await client.ask("Hello");
    await client.ask("Hello again");
    await client.close();
    await until(async () => (await added()).length === 3);
    const [session, ...responses] = (await added()).sort((a, b) => a.total_tokens - b.total_tokens);
    const anew = 300 * 1e-6 + 200 * 1e-5;
    const cached = 100 * 5e-7 + 400 * 1e-7;
    const said = 100 * 2e-6 + 200 * 2e-5;
    for (const { spend, total_tokens, call_type, metadata } of responses) {
      expect(spend).toBeCloseTo(anew + cached + said, 12);
      expect([total_tokens, call_type]).toEqual([1_300, "_arealtime"]);
      expect(metadata.realtime_session_id).toBeString();
    }
    expect(session).toMatchObject({ spend: 0, total_tokens: 0, status: "success" });
    const differences = (await world.app.storage.audit.verify(Date.now())).flatMap((check) => check.differences);
    expect(differences).toEqual([]);
  });

  test("a response that nobody asked for is charged as well", async () => {
    const { key } = await newKey();
    const client = await open("voice", key);
    await client.next("session.created");
    upstream.finish(upstream.speak());
    await client.next("response.done");
    await client.close();
    await until(async () => (await added()).some(({ spend }) => Math.abs(spend - 4e-5) < 1e-12));
  });

  test("one that failed without having used anything is free", async () => {
    upstream.usage = null;
    const { key } = await newKey();
    const client = await open("voice", key);
    await client.next("session.created");
    const response = { id: upstream.speak(), status: "failed", usage: null };
    upstream.say(upstream.last.socket, { type: "response.done", response });
    await client.next("response.done");
    await client.close();
    await until(async () => (await added()).length === 2);
    expect((await added()).map(({ spend }) => spend)).toEqual([0, 0]);
  });

  test("when the caller leaves in its middle, what it had used by then, which the upstream is asked for", async () => {
    upstream.usage = null;
    const { key } = await newKey();
    const client = await open("voice", key);
    client.send({ type: "response.create" });
    await client.next("response.created");
    await client.close();
    await until(async () => (await added()).length === 2);
    expect(upstream.last.heard.at(-1)).toMatchObject({ type: "response.cancel" });
    expect(Math.max(...(await added()).map(({ total_tokens }) => total_tokens))).toBe(30);
  });

  test("when the upstream breaks off in its middle, about what was delivered", async () => {
    upstream.usage = null;
    const { key } = await newKey();
    const client = await open("voice", key);
    client.send({ type: "response.create" });
    await client.next("response.created");
    upstream.say(upstream.last.socket, { type: "response.output_audio.delta", delta: "A".repeat(64_000) });
    await client.next("response.output_audio.delta");
    upstream.last.socket.terminate();
    await client.closed;
    await until(async () => (await added()).length === 2);
    const spend = Math.max(...(await added()).map((row) => row.spend));
    expect(spend).toBeGreaterThan(19 * 2e-5);
    expect(spend).toBeLessThan(23 * 2e-5);
  });

  test("transcripts of what was said, at the price of the model that wrote them", async () => {
    const { key } = await newKey();
    const client = await open("voice", key);
    const audio = { input: { transcription: { model: "whisper-1" } } };
    client.send({ type: "session.update", session: { type: "realtime", audio } });
    await client.next("session.updated");
    const type = "conversation.item.input_audio_transcription.completed";
    upstream.say(upstream.last.socket, { type, transcript: "Hi", usage: { type: "duration", seconds: 60 } });
    await client.next(type);
    await client.close();
    await until(async () => (await added()).length === 2);
    const row = (await added()).find(({ call_type }) => call_type === "atranscription");
    expect(row).toMatchObject({ model: "whisper-1" });
    expect(row?.spend).toBeCloseTo(0.006, 4);
  });
});

describe("when it is used up", () => {
  test("the caller is told after the response that used it, and the session is closed", async () => {
    const { key } = await newKey({ budget: 2_000_000_000 });
    const client = await open("dear", key);
    const done = await client.ask("Hello");
    expect(done.type).toBe("response.done");
    expect((await client.next("error")).error).toMatchObject({ code: "budget_exceeded" });
    expect((await client.closed).code).toBe(1008);
    expect(await refused("dear", key)).toMatchObject({ status: 429, code: "budget_exceeded" });
  });
});

describe("limits and rights in an open session", () => {
  test("the end user's own budget, and one who is blocked meanwhile", async () => {
    const { key } = await newKey();
    const headers = (name: string) => ({ authorization: `Bearer ${key}`, "x-gw-end-user-id": name });
    expect((await own.post("/customer/new", { user_id: "ada", max_budget: 2 })).status).toBe(200);
    const client = await RealtimeClient.open(address("dear"), headers("ada"));
    await client.ask("Hello");
    expect((await client.next("error")).error).toMatchObject({ code: "budget_exceeded" });
    expect(await refusal(address("dear"), headers("ada"))).toMatchObject({ status: 429, code: "budget_exceeded" });

    const other = await RealtimeClient.open(address("voice"), headers("eve"));
    await other.next("session.created");
    expect((await own.post("/customer/block", { user_ids: ["eve"] })).status).toBe(200);
    expect((await other.closed).code).toBe(1008);
    expect((await refusal(address("voice"), headers("eve"))).status).toBe(403);
  }, 20_000);

  test("tokens a minute are counted by what responses used, and the next one is refused", async () => {
    const { key } = await newKey({ tpmLimit: 40 });
    const client = await open("voice", key);
    await client.ask("Hello");
    await client.ask("Hello");
    const from = client.heard.length;
    client.send({ type: "response.create", event_id: "mine" });
    const { error } = await client.next("error", from);
    expect(error).toMatchObject({ code: "rate_limit_exceeded", event_id: "mine" });
    await client.close();
  });

  test("a key that is disabled ends its sessions", async () => {
    const { id, key } = await newKey();
    const client = await open("voice", key);
    await client.next("session.created");
    expect((await own.send("POST", `/api/gw/api-keys/${id}/disable`)).status).toBe(200);
    expect((await client.next("error")).error).toMatchObject({ code: "invalid_api_key" });
    expect((await client.closed).code).toBe(1008);
  }, 20_000);

  test("a key that may not call the model any more ends them, too", async () => {
    const { id, key } = await newKey();
    const client = await open("voice", key);
    await client.next("session.created");
    expect((await own.send("PATCH", `/api/gw/api-keys/${id}`, { models: ["dear"] })).status).toBe(200);
    expect((await client.closed).code).toBe(1008);
  }, 20_000);
});

/** The last one: it leaves nothing to call with. */
test("credit that is used up ends a session, and nothing is opened without", async () => {
  const client = await open("dear", (await newKey()).key);
  upstream.usage = { total_tokens: 2_000, input_tokens: 1_000, output_tokens: 1_000 };
  await client.ask("Hello");
  expect((await client.next("error")).error).toMatchObject({ code: "insufficient_quota" });
  expect((await client.closed).code).toBe(1008);
});
