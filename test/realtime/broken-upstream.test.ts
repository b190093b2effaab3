import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { FakeUpstream } from "./fake-upstream.ts";
import { LogSince, until } from "./log-since.ts";
import { realtimeWorld } from "./world.ts";

const upstream = new FakeUpstream();
const litellm_params = { model: "openai/gpt-realtime", api_base: upstream.address, api_key: "k" };
const base_model = "gpt-realtime";
const PRICES = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6, base_model };
const world = await realtimeWorld({
  model_list: [
    { model_name: "voice", litellm_params, model_info: PRICES },
    {
      model_name: "away",
      litellm_params: { ...litellm_params, api_base: "http://127.0.0.1:9/v1?code=hidden" },
      model_info: PRICES,
    },
    {
      model_name: "dear",
      litellm_params,
      model_info: { base_model, input_cost_per_token: 0.01, output_cost_per_token: 0.01 },
    },
  ],
  general_settings: { signup_credits: 100 },
});
const { open, refused, newKey } = world;
const { books } = world.app.service;
afterAll(async () => {
  await world.close();
  await upstream.stop();
});

const PLAIN = { total_tokens: 30, input_tokens: 20, output_tokens: 10 };
const log = new LogSince(world);
const added = () => log.added();
beforeEach(async () => {
  Object.assign(upstream, { usage: PLAIN, cancels: true, mood: "well" });
  await log.begin();
});
/** Whatever an upstream does: nothing stays set aside, nothing stays open, and the books add up. */
afterEach(async () => {
  await until(() => books.standing().desk.held === 0n && books.standing().journal.running === 0);
  expect((await world.app.storage.audit.verify(Date.now())).flatMap((check) => check.differences)).toEqual([]);
});

const spent = async (): Promise<number> => (await added()).reduce((sum, { spend }) => sum + spend, 0);
const say = (event: object) => upstream.say(upstream.last.socket, event);
const started = async (model = "voice", more: object = {}) => {
  const { key } = await newKey(more);
  const client = await open(model, key);
  await client.next("session.created");
  return client;
};

describe("a response is charged once", () => {
  test("where its end is told twice", async () => {
    const client = await started();
    const id = upstream.speak();
    upstream.finish(id);
    upstream.finish(id);
    await client.until(() =>
      client.heard.filter(({ type }) => type === "response.done").length === 2 ? true : undefined,
    );
    await client.close();
    await until(async () => (await added()).length >= 2);
    expect(await spent()).toBeCloseTo(4e-5, 12);
  });

  test("where its beginning is told twice", async () => {
    const client = await started();
    say({ type: "response.created", response: { id: "r1" } });
    say({ type: "response.created", response: { id: "r1" } });
    upstream.finish("r1");
    await client.next("response.done");
    await client.close();
    await until(async () => (await added()).length >= 2);
    expect(await spent()).toBeCloseTo(4e-5, 12);
  });

  test("where none of them has an id", async () => {
    const client = await started();
    for (let time = 0; time < 2; time++) {
      say({ type: "response.created", response: {} });
      say({ type: "response.done", response: { status: "completed", usage: PLAIN } });
    }
    await client.until(() =>
      client.heard.filter(({ type }) => type === "response.done").length === 2 ? true : undefined,
    );
    await client.close();
    await until(async () => (await added()).length >= 3);
    expect(await spent()).toBeCloseTo(8e-5, 12);
  });
});

describe("usage that is none", () => {
  test.each([
    ["negative", { total_tokens: -30, input_tokens: -20, output_tokens: -10 }],
    ["missing", null],
    ["no object", "lots"],
    ["of words", { total_tokens: "30", input_tokens: "20", output_tokens: {} }],
  ])("%s: what was delivered is charged", async (_, usage) => {
    const client = await started();
    const id = upstream.speak();
    say({ type: "response.output_text.delta", response_id: id, delta: "x".repeat(4_000) });
    say({ type: "response.done", response: { id, status: "completed", usage } });
    await client.next("response.done");
    await client.close();
    await until(async () => (await added()).length === 2);
    const spend = await spent();
    expect(spend).toBeGreaterThan(900 * 2e-6);
    expect(spend).toBeLessThan(1_100 * 2e-6);
  });
});

test("of responses at the same time each is charged by what was delivered of it", async () => {
  const client = await started();
  const [one, other] = [upstream.speak(), upstream.speak()];
  say({ type: "response.output_text.delta", response_id: one, delta: "x".repeat(4_000) });
  say({ type: "response.output_text.delta", response_id: other, delta: "x".repeat(8_000) });
  await client.until(() => (client.heard.filter(({ type }) => type.endsWith("delta")).length === 2 ? true : undefined));
  upstream.last.socket.terminate();
  await client.closed;
  await until(async () => (await added()).length === 3);
  const spend = await spent();
  expect(spend).toBeGreaterThan(2_800 * 2e-6);
  expect(spend).toBeLessThan(3_200 * 2e-6);
});

describe("why a response broke off is in the log", () => {
  const codes = async () => {
    await until(async () => (await added()).length === 2);
    return (await added()).map(({ metadata }) => metadata.error_code).sort();
  };
  const failures = async (): Promise<number> => {
    const text = await (await world.app.call("/metrics", { key: MASTER_KEY })).text();
    return Number(/deployment_failures_total\{[^}]*model_group="voice"[^}]*\} (\d+)/.exec(text)?.[1]);
  };

  test("as the upstream's failure, and not as the caller's leaving", async () => {
    const client = await started();
    upstream.speak();
    await client.next("response.created");
    const before = await failures();
    upstream.last.socket.terminate();
    await client.closed;
    expect(await codes()).toEqual(["upstream_error", "upstream_error"]);
    expect(await failures()).toBe(before + 1);
  });

  test("as the caller's leaving, and not as a failure", async () => {
    upstream.cancels = false;
    const client = await started();
    const id = upstream.speak();
    await client.next("response.created");
    client.socket.terminate();
    await until(() => upstream.last.heard.some(({ type }) => type === "response.cancel"));
    upstream.finish(id, "cancelled");
    expect(await codes()).toEqual(["client_left", null]);
  });

  test("as the end of the server", async () => {
    const client = await started();
    upstream.speak();
    await client.next("response.created");
    await world.app.service.realtime.stop();
    await client.closed;
    expect(await codes()).toEqual([null, "service_unavailable"]);
  });
});

test("a response that begins when the caller has left is stopped at once", async () => {
  Object.assign(upstream, { usage: null, cancels: false });
  const client = await started();
  const first = upstream.speak();
  await client.next("response.created");
  client.socket.terminate();
  const stopped = (id: string) =>
    until(() => upstream.last.heard.some(({ type, response_id }) => type === "response.cancel" && response_id === id));
  await stopped(first);
  const second = upstream.speak();
  await stopped(second);
  upstream.finish(first);
  upstream.finish(second);
});

test("a response that waits for credit when its session ends stays in no book", async () => {
  const { key } = await newKey({ budget: 2_000_000_000 });
  upstream.usage = null;
  const client = await open("dear", key);
  const { socket } = upstream.last;
  const other = await open("dear", key);
  other.send({ type: "response.create" });
  await other.next("response.created");
  upstream.speak(socket.data);
  await until(() => books.standing().desk.waiting === 1);
  await world.app.service.realtime.stop();
  await Promise.all([client.closed, other.closed]);
  await until(() => books.standing().desk.waiting === 0);
});

test("a response that is refused by the upstream leaves nothing set aside", async () => {
  upstream.usage = null;
  upstream.refuses = true;
  const client = await started("dear");
  client.send({ type: "response.create" });
  await client.next("error");
  await until(() => books.standing().desk.held === 0n);
  upstream.refuses = false;
  await client.close();
}, 20_000);

test("transcripts end a session as well when they have used up what there was", async () => {
  const { key } = await newKey({ budget: 10_000_000 });
  const client = await open("voice", key);
  const audio = { input: { transcription: { model: "whisper-1" } } };
  client.send({ type: "session.update", session: { type: "realtime", audio } });
  await client.next("session.updated");
  const type = "conversation.item.input_audio_transcription.completed";
  for (let time = 0; time < 3; time++) say({ type, transcript: "Hi", usage: { type: "duration", seconds: 60 } });
  expect((await client.closed).code).toBe(1008);
  expect((await client.next("error")).error).toMatchObject({ code: "budget_exceeded" });
}, 20_000);

test("an upstream that sends more at once than passes is told of before the session ends", async () => {
  const client = await started();
  upstream.last.socket.send("x".repeat(17 * 1024 * 1024));
  expect((await client.closed).code).toBe(1009);
  expect(client.heard.at(-1)).toMatchObject({ type: "error", error: { message: expect.stringContaining("16 MiB") } });
});

test("that an upstream cannot be reached is logged without its address, in which there may be a secret", async () => {
  const { key } = await newKey();
  expect(await refused("away", key)).toMatchObject({ status: 503, code: "connection_error" });
  const told = world.app.logged.filter((line) => line.includes('"kind":"connection"')).join();
  expect(told).toContain("Failed to connect");
  expect(told).not.toContain("hidden");
});

test("garbage of an upstream passes, and does no harm", async () => {
  const client = await started();
  const deep = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`;
  for (const text of ['{"type":"session.updated"}', `{"type":"session.updated","session":{"a":${deep}}}`]) {
    upstream.last.socket.send(text);
  }
  await client.ask("Hello");
  await client.close();
}, 20_000);

/** The last one: it leaves nothing to call with. */
test("more than there can be is charged no more than a charge can be, and ends the session", async () => {
  const client = await started("voice", { budget: 1_000_000_000 });
  const id = upstream.speak();
  say({
    type: "response.done",
    response: { id, status: "completed", usage: { input_tokens: 1e300, output_tokens: 1 } },
  });
  await client.next("response.done");
  expect((await client.closed).code).toBe(1008);
});
