import { describe, expect, test } from "bun:test";
import { encodeWav } from "../../src/providers/echo/audio/wav.ts";
import { MASTER_KEY } from "../app.ts";
import { startBooked } from "../metering/booked-app.ts";
import { restrictedKey } from "../models/restricted-key.ts";
import { formsOf, formText, type Parts, startFormUpstream } from "./form-upstream.ts";

const said = () => Response.json({ text: "Good morning.", usage: { type: "duration", seconds: 3 } });
const failing = () => Response.json({ error: { message: "busy" } }, { status: 503 });
const upstream = startFormUpstream([said]);
const openai = { api_base: `${upstream.origin}/v1`, api_key: "sk-upstream" };
const mode = "audio_transcription";
const { app, books } = await startBooked(
  {
    model_list: [
      {
        model_name: "by-second",
        litellm_params: { model: "openai/whisper-1", ...openai },
        model_info: { mode, input_cost_per_second: 0.0001 },
      },
      {
        model_name: "by-token",
        litellm_params: { model: "openai/hears", temperature: 0.3, ...openai },
        model_info: { mode, input_cost_per_audio_token: 0.000006, output_cost_per_token: 0.00001 },
      },
      {
        model_name: "azure-hears",
        litellm_params: { model: "azure/ears", api_base: upstream.origin, api_key: "k", api_version: "2024-10-21" },
        model_info: { mode, free: true },
      },
      {
        model_name: "chat-only",
        litellm_params: { model: "mistral/voxtral", api_key: "k" },
        model_info: { mode, free: true },
      },
      { model_name: "slow", litellm_params: { model: "echo/transcription", rpm: 1 }, model_info: { mode, free: true } },
      {
        model_name: "echo-transcription",
        litellm_params: { model: "echo/transcription" },
        model_info: { mode, input_cost_per_second: 0.0001 },
      },
      { model_name: "echo-speech", litellm_params: { model: "echo/speech" }, model_info: { free: true } },
    ],
    guardrails: [
      { guardrail_name: "words", litellm_params: { guardrail: "word_list", mode: "pre_call", words: ["falcon"] } },
      { guardrail_name: "pii", litellm_params: { guardrail: "pii", mode: "pre_call" } },
      { guardrail_name: "said", litellm_params: { guardrail: "word_list", mode: "post_call", words: ["morning"] } },
    ],
    router_settings: { fallbacks: [{ "by-token": ["by-second"] }], retry_after: 0 },
  },
  upstream,
);
const key = app.first.demoKey ?? "";

const sound = Buffer.from("not heard by anybody\r\n--x--\0\xff", "latin1");
const formOf = formsOf("audio/mpeg");
const send = (parts: Parts, path = "/v1/audio/translations", with_ = key) =>
  app.call(path, { key: with_, body: formOf(parts) });
const usual = [
  ["file", [sound, "guten-morgen.mp3"]],
  ["model", "by-second"],
] as const;

describe("a translation", () => {
  test("arrives at the upstream as it was sent, and is charged by what was heard", async () => {
    upstream.answer(said);
    const response = await send([
      ["temperature", "0.2"],
      ...usual,
      ["prompt", "a greeting"],
      ["response_format", "json"],
      ["to_language", "en"],
    ]);
    expect([response.status, await response.json()]).toEqual([200, await said().json()]);
    expect(upstream.seen.at(-1)).toEqual({
      path: "/v1/audio/translations",
      key: "Bearer sk-upstream",
      body: formText(
        [
          ["model", "whisper-1"],
          ["temperature", "0.2"],
          ["prompt", "a greeting"],
          ["response_format", "json"],
          ["to_language", "en"],
        ],
        [["file", "guten-morgen.mp3", "audio/mpeg", sound]],
      ),
    });
    expect(response.headers.get("x-gw-model-group")).toBe("by-second");
    expect(await books.last()).toMatchObject({
      ...{ operation: "translation", endpoint: "/v1/audio/translations", status: "succeeded" },
      ...{ soundMs: 3_000, cost: 300_000n, estimated: false },
    });
  });

  test("by tokens is charged by the upstream's count", async () => {
    const usage = { type: "tokens", input_tokens: 30, output_tokens: 4, input_token_details: { audio_tokens: 30 } };
    upstream.answer(() => Response.json({ text: "Good morning.", usage }));
    await (await send([usual[0], ["model", "by-token"]])).text();
    expect(await books.last()).toMatchObject({ audioInputTokens: 30, completionTokens: 4, cost: 220_000n });
  });

  test("that the upstream does not measure is charged by its subtitles, or else by the file's size", async () => {
    upstream.answer(() => new Response("1\n00:00:00,000 --> 00:00:02,500\na\n"));
    await (await send([...usual, ["response_format", "srt"]])).text();
    expect(await books.last()).toMatchObject({ soundMs: 2_500, cost: 250_000n });
    upstream.answer(() => new Response("a"));
    const bytes = new Uint8Array(16_000).fill(1);
    await (await send([["file", [bytes, "a.mp3"]], usual[1], ["response_format", "text"]])).text();
    expect(await books.last()).toMatchObject({ soundMs: 1_000, cost: 100_000n, estimated: true });
  });

  test("of a WAV file is charged by its length, and no more is set aside for it", async () => {
    upstream.answer(() => new Response("a"));
    const wav = encodeWav(new Int16Array(10 * 24_000), 24_000, "");
    const response = await send([["file", [wav, "a.wav"]], usual[1], ["response_format", "text"]]);
    expect([response.status, await response.text()]).toEqual([200, "a"]);
    const { soundMs = 0, cost, estimated } = await books.last();
    expect(soundMs).toBeGreaterThanOrEqual(10_000);
    expect(soundMs).toBeLessThan(10_010);
    expect({ cost, estimated }).toEqual({ cost: BigInt(soundMs) * 100n, estimated: true });
    expect(books.held.at(-1)?.amount).toBe(cost);
  });

  test("is sent again whole, and to a group that stands in", async () => {
    const before = upstream.seen.length;
    upstream.answer(failing, failing, said);
    const response = await app.call("/v1/audio/translations", {
      key,
      body: formOf([usual[0], ["model", "by-token"], ["num_retries", "1"]]),
    });
    expect([response.status, response.headers.get("x-gw-model-group")]).toEqual([200, "by-second"]);
    await response.text();
    const file = ["file", "guten-morgen.mp3", "audio/mpeg", sound] as const;
    const own = formText(
      [
        ["model", "hears"],
        ["temperature", "0.3"],
      ],
      [file],
    );
    expect(upstream.seen.slice(before).map(({ body }) => body)).toEqual([
      own,
      own,
      formText([["model", "whisper-1"]], [file]),
    ]);
  });

  test("goes to a deployment at Azure under its path, with its key", async () => {
    upstream.answer(said);
    expect((await send([usual[0], ["model", "azure-hears"]])).status).toBe(200);
    expect(upstream.seen.at(-1)).toMatchObject({
      path: "/openai/deployments/ears/audio/translations?api-version=2024-10-21",
      key: "k",
    });
  });

  test("of a provider that has none is refused", async () => {
    const response = await send([usual[0], ["model", "chat-only"]]);
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: expect.objectContaining({ param: "model", message: "Mistral does not serve translations." }) },
    ]);
  });

  test("is looked at by guardrails: its prompt before it is sent, its text before it is given", async () => {
    const before = upstream.seen.length;
    upstream.answer(said);
    const refused = await send([...usual, ["prompt", "a falcon"], ["guardrails", '["words"]']]);
    expect([refused.status, upstream.seen.length]).toEqual([400, before]);
    const masked = await send([...usual, ["prompt", "by eve@example.com"], ["guardrails", "pii"]]);
    expect(masked.status).toBe(200);
    expect(upstream.seen.at(-1)?.body).toContain("by [EMAIL_1]");
    const withheld = await send([...usual, ["guardrails", '["said"]']]);
    expect([withheld.status, await withheld.text()]).toEqual([
      400,
      expect.stringContaining("content_policy_violation"),
    ]);
  });
});

test("a transcription brings what its deployment sets as well, unless the caller says otherwise", async () => {
  upstream.answer(said);
  const parts = [usual[0], ["model", "by-token"]] as const;
  await (await send(parts, "/v1/audio/transcriptions")).text();
  expect(upstream.seen.at(-1)?.body).toContain('name="temperature"\r\n\r\n0.3\r\n');
  await (await send([...parts, ["temperature", "0"]], "/v1/audio/transcriptions")).text();
  expect(upstream.seen.at(-1)?.body.match(/name="temperature"\r\n\r\n.*/g)).toEqual([
    'name="temperature"\r\n\r\n0',
  ] as never);
});

test.each([
  "/v1/audio/translations",
  "/audio/translations",
  "/openai/deployments/echo-transcription/audio/translations?api-version=2024-10-21",
])("the offline model reads its own speech back in every format under %s", async (path) => {
  const json = { model: "echo-speech", input: "hello world", voice: "alloy" };
  const spoken = await (await app.call("/v1/audio/speech", { key, json })).bytes();
  const named = path.startsWith("/openai") ? "none" : "echo-transcription";
  for (const format of ["json", "text", "srt", "vtt", "verbose_json"]) {
    const response = await send(
      [
        ["file", [spoken, "a.wav", "audio/wav"]],
        ["model", named],
        ["response_format", format],
      ],
      path,
    );
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.stringContaining("hello world")]);
    if (format === "verbose_json") expect(JSON.parse(text)).toMatchObject({ task: "translate", language: "english" });
    const { soundMs, ...record } = await books.last();
    expect(record).toMatchObject({ operation: "translation", status: "succeeded" });
    expect([soundMs > 0, record.cost]).toEqual([true, (BigInt(soundMs) * 100_000n + 999n) / 1_000n]);
  }
});

describe("what a translation may not be", () => {
  test.each<[string, Parts, number, string, string]>([
    ["without a file", [["model", "by-second"]], 422, "file", "Field required"],
    ["with text in place of a file", [["file", "a.mp3"], usual[1]], 422, "file", "as a file"],
    ["with an empty file", [["file", [new Uint8Array(), "a.mp3"]], usual[1]], 400, "file", "is empty"],
    ["with another kind of file", [["file", [sound, "a.txt", "text/plain"]], usual[1]], 400, "file", "mp3"],
    ["with two files", [...usual, ["file", [sound, "b.mp3"]]], 422, "file", "Send one file"],
    ["with a file of another name", [...usual, ["sound", [sound, "b.mp3"]]], 422, "sound", "there are `file`"],
    ["without a model", [usual[0]], 422, "model", "Field required"],
    ["with two models", [...usual, ["model", "slow"]], 422, "model", "more than once"],
    ["with a format that is none", [...usual, ["response_format", "docx"]], 422, "response_format", '"vtt"'],
    ["with a temperature that is none", [...usual, ["temperature", "warm"]], 422, "temperature", "number"],
    ["with too high a temperature", [...usual, ["temperature", "2"]], 422, "temperature", "1"],
    ["with a key of the caller's", [...usual, ["api_key", "sk-mine"]], 403, "api_key", ""],
  ])("%s", async (_, parts, status, param, words) => {
    const before = upstream.seen.length;
    const response = await send(parts);
    const { error } = (await response.json()) as { error: { param: string; message: string } };
    expect([response.status, error.param, error.message]).toEqual([status, param, expect.stringContaining(words)]);
    expect(upstream.seen).toHaveLength(before);
  });

  test("with an Idempotency-Key, since it has a file", async () => {
    const headers = { "idempotency-key": "translation" };
    expect((await app.call("/v1/audio/translations", { key, headers, body: formOf(usual) })).status).toBe(400);
  });

  test("without a key, for a model that there is not, or that the key may not call", async () => {
    const { key: narrow } = await restrictedKey(app, ["echo-transcription"]);
    const calls = [
      send(usual, "/v1/audio/translations", "sk-unknown"),
      send([usual[0], ["model", "none"]]),
      send(usual, "/v1/audio/translations", narrow),
      send([usual[0], ["model", "echo-transcription"]], "/v1/audio/translations", narrow),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([401, 404, 403, 200]);
  });

  test("more often than its deployment may be called, or without credit", async () => {
    const slow = () => send([usual[0], ["model", "slow"]], "/v1/audio/translations", MASTER_KEY);
    expect([(await slow()).status, (await slow()).status]).toEqual([200, 429]);
    const { credit } = books;
    books.credit = 0n;
    const response = await send(usual);
    books.credit = credit;
    expect([response.status, await response.text()]).toEqual([429, expect.stringContaining("insufficient_quota")]);
  });
});
