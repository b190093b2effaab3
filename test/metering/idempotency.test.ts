import { afterAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { restrictedKey } from "../models/restricted-key.ts";
import { Moody, WELL } from "../upstreams/moody.ts";
import { MemoryBooks } from "./memory-books.ts";

const books = new MemoryBooks();
let passedMs = 0;
const clock = {
  nowMs: () => systemClock.nowMs() + passedMs,
  monotonicMs: () => systemClock.monotonicMs() + passedMs,
};
const upstream = new Moody("one");
/** Speech as events, of which the last one tells that it is. */
const speaker = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1", development: false },
  fetch: () =>
    new Response(
      ['{"type":"speech.audio.delta","audio":"AA=="}', '{"type":"speech.audio.done","usage":{}}']
        .map((data) => `data: ${data}\n\n`)
        .join(""),
      { headers: { "content-type": "text/event-stream" } },
    ),
});
const yaml = `
model_list:
  - model_name: speaker
    litellm_params: { model: openai/gpt-4o-mini-tts, api_base: "${speaker.url.origin}/v1", api_key: k }
    model_info: { free: true }
  - { model_name: echo, litellm_params: { model: echo/chat } }
  - { model_name: echo-cut, litellm_params: { model: echo/chat, echo_fault: { cut_after: 10000 } } }
  - { model_name: echo-embedding, litellm_params: { model: echo/embedding } }
  - model_name: moody
    litellm_params: { model: hosted_vllm/m, api_base: "${upstream.address}" }
    model_info: { free: true }
`;
const app = await startApp(yaml, null, clock, { ledger: books });
afterAll(async () => {
  await app.close();
  await Promise.all([upstream.stop(), speaker.stop(true)]);
});
const demo = app.first.demoKey ?? "";

const post = (name: string, fields: object = {}, key = demo, signal?: AbortSignal) =>
  app.call("/v1/chat/completions", {
    key,
    headers: { "idempotency-key": name },
    json: { model: "echo", messages: [{ role: "user", content: "hello there" }], ...fields },
    ...(signal ? { signal } : {}),
  });
const count = () => books.opened.length;

describe("a call with an Idempotency-Key", () => {
  test.each([false, true])("is answered again as it was, and charged once (streamed: %p)", async (stream) => {
    const first = await post(`again-${stream}`, { stream });
    const text = await first.text();
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    const made = count();
    const second = await post(`again-${stream}`, { stream });
    expect(second.status).toBe(200);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    for (const name of ["content-type", "x-gw-model-id", "x-gw-response-cost"])
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    expect(await second.text()).toBe(text);
    expect(count()).toBe(made);
  });

  test.each([
    ["/v1/responses", { input: "hello there" }],
    ["/v1/messages", { messages: [{ role: "user", content: "hello there" }], max_tokens: 50 }],
  ])("is streamed again as it was by %s, and made again where it broke off", async (path, fields) => {
    const send = async (name: string, model: string) => {
      const headers = { "idempotency-key": name };
      const response = await app.call(path, { key: demo, headers, json: { model, stream: true, ...fields } });
      return { text: await response.text(), again: response.headers.has("idempotent-replayed") };
    };
    const first = await send(`streamed ${path}`, "echo");
    const made = count();
    expect(await send(`streamed ${path}`, "echo")).toEqual({ ...first, again: true });
    expect(count()).toBe(made);
    upstream.mood = { kind: "cut", after: 1 };
    const broken = await send(`broken ${path}`, "moody");
    upstream.mood = WELL;
    const well = await send(`broken ${path}`, "moody");
    expect([broken.again, well.again]).toEqual([false, false]);
  });

  const generate = async (name: string, model: string, query: string, words = "hello there") => {
    const response = await app.call(`/v1beta/models/${model}:streamGenerateContent${query}`, {
      key: demo,
      headers: { "idempotency-key": name },
      json: { contents: [{ role: "user", parts: [{ text: words }] }] },
    });
    const again = response.headers.has("idempotent-replayed");
    return { status: response.status, text: await response.text(), again };
  };

  test.each(["?alt=sse", ""])(
    "is streamed again in Google's form, and made again where it broke off (%p)",
    async (query) => {
      const first = await generate(`google ${query}`, "echo", query);
      const made = count();
      expect(await generate(`google ${query}`, "echo", query)).toEqual({ ...first, again: true });
      expect(count()).toBe(made);
      upstream.mood = { kind: "cut", after: 1 };
      const broken = await generate(`google broken ${query}`, "moody", query);
      expect(broken.text).toContain('"error"');
      upstream.mood = WELL;
      const well = await generate(`google broken ${query}`, "moody", query);
      expect([broken.again, well.again]).toEqual([false, false]);
      expect(well.text).toContain('"finishReason"');
    },
  );

  test("and another form of Google's stream is 400, as another body is there", async () => {
    await generate("alt", "echo", "?alt=sse");
    const other = await generate("alt", "echo", "");
    expect([other.status, other.again]).toEqual([400, false]);
    expect(other.text).toContain("was used for another request");
    // Who calls is no part of what is asked.
    expect(await generate("alt", "echo", `?alt=sse&key=${demo}`)).toMatchObject({ status: 200, again: true });
  });

  test("is spoken again as it was, where the sound came as events", async () => {
    const json = { model: "speaker", input: "hello", voice: "alloy", stream_format: "sse" };
    const speak = () => app.call("/v1/audio/speech", { key: demo, headers: { "idempotency-key": "spoken" }, json });
    const text = await (await speak()).text();
    const made = count();
    const again = await speak();
    expect([again.headers.get("idempotent-replayed"), await again.text(), count()]).toEqual(["true", text, made]);
  });

  test("and another body, or another path, is 422", async () => {
    await (await post("other")).text();
    const response = await post("other", { temperature: 0.5 });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ loc: ["header", "idempotency-key"] }] });
  });

  test("that is still running is 409, and its end is not held up by that", async () => {
    const answering = Promise.withResolvers<void>();
    upstream.mood = { kind: "wait", until: answering.promise };
    const running = post("slow", { model: "moody" });
    while (upstream.calls === 0) await Bun.sleep(1);
    const second = await post("slow", { model: "moody" });
    expect(second.status).toBe(409);
    answering.resolve();
    upstream.mood = WELL;
    expect((await running).status).toBe(200);
    await (await running).text();
    expect((await post("slow", { model: "moody" })).headers.get("idempotent-replayed")).toBe("true");
  });

  test("that failed, broke off or was left may be made again", async () => {
    const fault = { num_retries: 0, echo_fault: { status: 500, times: 1, key: "idem" } };
    expect((await post("failed", fault)).status).toBeGreaterThanOrEqual(500);
    expect((await post("failed", fault)).status).toBe(200);
    const cut = { stream: true, echo_fault: { cut_after: 2 } };
    await (await post("cut", cut)).text();
    const made = count();
    await (await post("cut", cut)).text();
    expect(count()).toBe(made + 1);
    const slow = { stream: true, echo_fault: { token_delay_ms: 50 } };
    await (await post("left", slow)).body?.cancel();
    const again = await post("left", slow);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, null]);
    await again.body?.cancel();
  });

  test("that was answered in one piece is answered again where its caller left before it had the answer", async () => {
    const big = { model: "echo-embedding", input: ["word"], dimensions: 512 };
    const embed = () => app.call("/v1/embeddings", { key: demo, headers: { "idempotency-key": "lost" }, json: big });
    const first = await embed();
    const made = count();
    await first.body?.cancel();
    const again = await embed();
    expect([again.status, again.headers.get("idempotent-replayed"), count()]).toEqual([200, "true", made]);
    expect(await again.json()).toMatchObject({ data: [{ index: 0 }] });
  });

  test("belongs to its key, and is forgotten after a day", async () => {
    await (await post("mine")).text();
    const { key } = await restrictedKey(app, []);
    for (const other of [key, MASTER_KEY]) {
      const response = await post("mine", {}, other);
      expect(response.headers.get("idempotent-replayed")).toBeNull();
      await response.text();
    }
    passedMs += 24 * 3_600_000 - 60_000;
    expect((await post("mine")).headers.get("idempotent-replayed")).toBe("true");
    passedMs += 120_000;
    expect((await post("mine")).headers.get("idempotent-replayed")).toBeNull();
  });

  test("whose process ended is not waited for longer than its lease", async () => {
    const first = new AbortController();
    const lost = post("crashed", { echo_fault: { delay_ms: 60_000 } }, demo, first.signal);
    const made = count();
    while (count() === made) await Bun.sleep(1);
    expect((await post("crashed", { echo_fault: { delay_ms: 60_000 } })).status).toBe(409);
    passedMs += 61_000;
    const left = new AbortController();
    const again = post("crashed", { echo_fault: { delay_ms: 60_000 } }, demo, left.signal);
    while (count() === made + 1) await Bun.sleep(1);
    left.abort();
    expect((await again).status).not.toBe(409);
    first.abort();
    await lost;
  });

  test.each(["has been answered", "was left"])(
    "that %s after another was made in its place has no say in it",
    async (end) => {
      const [late, soon] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const name = `late, and ${end}`;
      const leaving = new AbortController();
      upstream.calls = 0;
      upstream.mood = { kind: "wait", until: late.promise };
      const first = post(name, { model: "moody" }, demo, leaving.signal);
      while (upstream.calls < 1) await Bun.sleep(1);
      passedMs += 61_000;
      upstream.mood = { kind: "wait", until: soon.promise };
      const second = post(name, { model: "moody" });
      while (upstream.calls < 2) await Bun.sleep(1);
      if (end === "was left") leaving.abort();
      late.resolve();
      await (await first).text();
      expect((await post(name, { model: "moody" })).status).toBe(409);
      soon.resolve();
      upstream.mood = WELL;
      const text = await (await second).text();
      const again = await post(name, { model: "moody" });
      expect([again.headers.get("idempotent-replayed"), await again.text()]).toEqual(["true", text]);
    },
  );

  const long = { stream: true, messages: [{ role: "user", content: "word ".repeat(11_000) }] };
  test.each([
    ["/v1/chat/completions", {}],
    ["/v1/messages", { max_tokens: 20_000 }],
    ["/v1/responses", { input: long.messages[0]?.content, messages: undefined }],
  ])("whose long stream broke off may be made again, and one that was whole is not: %s", async (path, fields) => {
    const send = async (name: string, fault: object) => {
      const headers = { "idempotency-key": `${name} ${path}` };
      const json = { model: "echo", ...long, ...fields, ...fault };
      const response = await app.call(path, { key: demo, headers, json });
      return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
    };
    const cut = { echo_fault: { cut_after: 10_000 } };
    const made = count();
    for (const times of [1, 2]) {
      const sent = await send("long and cut", cut);
      expect([sent.status, count()]).toEqual([200, made + times]);
      expect(sent.bytes).toBeGreaterThan(1024 * 1024);
    }
    expect((await send("long and whole", {})).bytes).toBeGreaterThan(1024 * 1024);
    expect((await send("long and whole", {})).status).toBe(409);
    expect(count()).toBe(made + 3);
  });

  test.each(["?alt=sse", ""])("and whose long stream is Google's likewise (%p)", async (query) => {
    const words = long.messages[0]?.content;
    const made = count();
    for (const times of [1, 2]) {
      const { status, text } = await generate(`long and cut ${query}`, "echo-cut", query, words);
      expect([status, count()]).toEqual([200, made + times]);
      expect(text.length).toBeGreaterThan(1024 * 1024);
    }
    expect((await generate(`long and whole ${query}`, "echo", query, words)).text.length).toBeGreaterThan(1024 * 1024);
    expect((await generate(`long and whole ${query}`, "echo", query, words)).status).toBe(409);
    expect(count()).toBe(made + 3);
  });

  test("whose answer is too long to be kept is not charged again, and says so", async () => {
    const big = { model: "echo-embedding", input: Array.from({ length: 1_200 }, () => "word"), dimensions: 512 };
    const send = () => app.call("/v1/embeddings", { key: demo, headers: { "idempotency-key": "big" }, json: big });
    const first = await send();
    expect((await first.arrayBuffer()).byteLength).toBeGreaterThan(1024 * 1024);
    const made = count();
    const second = await send();
    expect([second.status, count()]).toEqual([409, made]);
    expect(await second.text()).toContain("too long to be kept");
  });

  test.each(["", "x".repeat(256)])("of a length that none has is 422", async (name) => {
    expect((await post(name)).status).toBe(422);
  });

  test("and a file is 400", async () => {
    const form = new FormData();
    form.set("file", new File(["x"], "a.wav"));
    form.set("model", "echo-transcription");
    const headers = { "idempotency-key": "file" };
    expect((await app.call("/v1/audio/transcriptions", { key: demo, headers, body: form })).status).toBe(400);
  });
});
