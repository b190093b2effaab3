import { describe, expect, test } from "bun:test";
import { startBooked } from "../metering/booked-app.ts";
import { formsOf, type Parts, startFormUpstream } from "./form-upstream.ts";

const said = () => Response.json({ text: "a", usage: { type: "duration", seconds: 3 } });
const upstream = startFormUpstream([said]);
const openai = { api_base: `${upstream.origin}/v1`, api_key: "sk-upstream" };
const { app, books } = await startBooked(
  {
    model_list: [
      {
        model_name: "ears",
        litellm_params: { model: "openai/mine", ...openai },
        model_info: { mode: "audio_transcription", input_cost_per_second: 0.0001 },
      },
      {
        model_name: "whisper",
        litellm_params: { model: "openai/whisper-1", ...openai },
        model_info: { mode: "audio_transcription", input_cost_per_second: 0.0001 },
      },
      {
        model_name: "chunking",
        litellm_params: { model: "openai/mine", chunking_strategy: { type: "auto" }, ...openai },
        model_info: { mode: "audio_transcription", input_cost_per_second: 0.0001 },
      },
      {
        model_name: "by-character",
        litellm_params: { model: "openai/mine", ...openai },
        model_info: { mode: "audio_speech", input_cost_per_character: 0.00001 },
      },
      {
        model_name: "by-token",
        litellm_params: { model: "openai/mine", ...openai },
        model_info: { mode: "audio_speech", input_cost_per_token: 0.000001, output_cost_per_audio_token: 0.00002 },
      },
      {
        model_name: "by-second",
        litellm_params: { model: "openai/mine", ...openai },
        model_info: { mode: "audio_speech", output_cost_per_second: 0.0002 },
      },
      { model_name: "painter", litellm_params: { model: "openai/mine", ...openai }, model_info: { free: true } },
    ],
    router_settings: { retry_after: 0 },
  },
  upstream,
);
const key = app.first.demoKey ?? "";
const formOf = formsOf("audio/mpeg");
const file: Parts[number] = ["file", [Buffer.alloc(1_600, 1), "a.mp3"]];
const usual: Parts = [file, ["model", "ears"]];
const transcribe = (parts: Parts) => app.call("/v1/audio/transcriptions", { key, body: formOf(parts) });
const speak = (model: string, more: object = {}) =>
  app.call("/v1/audio/speech", { key, json: { model, input: "hello", voice: "alloy", ...more } });

describe("what a transcription may not be", () => {
  test.each<[string, Parts, number, string, string]>([
    ["without a file", [["model", "ears"]], 422, "file", "Field required"],
    [
      "with text in place of a file",
      [
        ["file", "a.mp3"],
        ["model", "ears"],
      ],
      422,
      "file",
      "as a file",
    ],
    [
      "with an empty file",
      [
        ["file", [Buffer.alloc(0), "a.mp3"]],
        ["model", "ears"],
      ],
      400,
      "file",
      "is empty",
    ],
    ["with two files", [...usual, file], 422, "file", "Send one file"],
    [
      "with a file of another name",
      [...usual, ["sound", [Buffer.alloc(9), "b.mp3"]]],
      422,
      "sound",
      "there are `file`",
    ],
    ["without a model", [file], 422, "model", "Field required"],
    ["with two models", [...usual, ["model", "whisper"]], 422, "model", "more than once"],
    ["with a format that is none", [...usual, ["response_format", "docx"]], 422, "response_format", '"vtt"'],
    ["with a temperature that is none", [...usual, ["temperature", "warm"]], 422, "temperature", "number"],
    ["with a temperature in parts", [...usual, ["temperature[]", "0.3"]], 422, "temperature", "one part"],
    ["with a stream in parts", [...usual, ["stream[]", "true"]], 422, "stream", "one part"],
    ["with a stream that is neither", [...usual, ["stream", "perhaps"]], 422, "stream", "boolean"],
  ])("%s", async (_, parts, status, param, words) => {
    const before = upstream.seen.length;
    upstream.answer(said);
    const response = await transcribe(parts);
    const { error } = (await response.json()) as { error: { param: string; message: string } };
    expect([response.status, error.param, error.message]).toEqual([status, param, expect.stringContaining(words)]);
    expect(upstream.seen).toHaveLength(before);
  });
});

test("what steers the gateway may be JSON in a transcription too, and what the upstream gets is what was sent", async () => {
  upstream.answer(said);
  const response = await transcribe([
    ...usual,
    ["metadata", '{"tags":["a"],"job":7}'],
    ["stream", "true"],
    ["temperature", "0.30"],
    ["response_format", "diarized_json"],
    ["timestamp_granularities[]", "word"],
    ["timestamp_granularities[]", "segment"],
    ["chunking_strategy", '{"type":"server_vad"}'],
    ["known_speaker_names[]", "Ann"],
    ["language", ""],
  ]);
  expect(response.status).toBe(200);
  await response.text();
  expect(await books.last()).toMatchObject({ tags: ["a"], metadata: { job: 7 }, stream: true });
  const fields = [...(upstream.seen.at(-1)?.body ?? "").matchAll(/form-data; name="([^"]+)"\r\n\r\n(.*)\r\n/g)];
  expect(fields.map(([, name, value]) => [name, value])).toEqual([
    ["model", "mine"],
    ["stream", "true"],
    ["temperature", "0.3"],
    ["response_format", "diarized_json"],
    ["timestamp_granularities[]", "word"],
    ["timestamp_granularities[]", "segment"],
    ["chunking_strategy", '{"type":"server_vad"}'],
    ["known_speaker_names[]", "Ann"],
  ] as never);
});

/** The fields of the form that came last, without the model. */
const arrived = () => {
  const parts = (upstream.seen.at(-1)?.body ?? "").matchAll(/form-data; name="([^"]+)"\r\n\r\n(.*)\r\n/g);
  return Array.from(parts, ([, name, value]) => [name, value]).filter(([name]) => name !== "model");
};

describe.each<[string, string, string]>([
  ["include", "include[]", "logprobs"],
  ["chunking_strategy", "chunking_strategy[type]", "server_vad"],
])("%s as %s is what it is by its plain name", (plain, name, value) => {
  const asked = (more: Parts): Parts => [file, ["model", "whisper"], [name, value], ...more];

  test("refused where the model does not have it", async () => {
    const before = upstream.seen.length;
    upstream.answer(said);
    const response = await transcribe(asked([]));
    const { error } = (await response.json()) as { error: { param: string } };
    expect([response.status, error.param]).toEqual([400, plain]);
    expect(upstream.seen).toHaveLength(before);
  });

  test("left out where that is asked for, and sent as it came where the request insists", async () => {
    upstream.answer(said);
    expect((await transcribe(asked([["drop_params", "true"]]))).status).toBe(200);
    expect(arrived()).toEqual([]);
    expect((await transcribe(asked([["allowed_openai_params[]", plain]]))).status).toBe(200);
    expect(arrived()).toEqual([[name, value]]);
  });
});

test.each<[string, string, string, string]>([
  ["timestamp_granularities", "timestamp_granularities[]", "word", "timestamp_granularities"],
  ["timestamp_granularities", "timestamp_granularities[]", "word", "timestamp_granularities[]"],
  ["chunking_strategy", "chunking_strategy[type]", "server_vad", "chunking_strategy"],
  ["known_speaker_names", "known_speaker_names[]", "Ann", "known_speaker_names"],
])("%s as %s=%s is left out where %s is to be dropped", async (plain, name, value, dropped) => {
  upstream.answer(said);
  expect((await transcribe([...usual, [name, value], ["additional_drop_params[]", dropped]])).status).toBe(200);
  expect(arrived()).toEqual([]);
  expect((await transcribe([...usual, [name, value], ["additional_drop_params[]", `${plain}s`]])).status).toBe(200);
  expect(arrived()).toEqual([[name, value]]);
});

test("what a deployment sets is not sent beside what a request has in parts", async () => {
  upstream.answer(said);
  const parts: Parts = [
    ["chunking_strategy[type]", "server_vad"],
    ["chunking_strategy[threshold]", "0.4"],
  ];
  expect((await transcribe([file, ["model", "chunking"], ...parts])).status).toBe(200);
  expect(arrived()).toEqual(parts as never);
  expect((await transcribe([file, ["model", "chunking"]])).status).toBe(200);
  expect(arrived()).toEqual([["chunking_strategy", '{"type":"auto"}']]);
});

test("a transcription that asks for no stream of a model that has none is answered", async () => {
  upstream.answer(said);
  expect((await transcribe([file, ["model", "whisper"], ["stream", "false"]])).status).toBe(200);
});

describe("an answer that is none", () => {
  const page = () =>
    new Response("<!DOCTYPE html><html>Bad gateway</html>", { headers: { "content-type": "text/html" } });
  test.each<[string, () => Response, number]>([
    ["an error with the status of success", () => Response.json({ error: { message: "no", code: 429 } }), 429],
    ["a page", page, 502],
  ])("is no transcript, and is not charged: %s", async (_, answer, status) => {
    upstream.answer(answer);
    const response = await transcribe([...usual, ["num_retries", "0"]]);
    expect(response.status).toBe(status);
    await response.text();
    expect(await books.last()).toMatchObject({ status: "failed", cost: 0n });
  });

  test("is tried again", async () => {
    upstream.answer(page, said);
    expect((await transcribe([...usual, ["num_retries", "1"]])).status).toBe(200);
  });

  test("is one where what was said is called an error, or nothing was said", async () => {
    upstream.answer(() => Response.json({ text: "a", error: null, duration: 2 }));
    expect((await transcribe(usual)).status).toBe(200);
    upstream.answer(() => new Response("\n", { headers: { "content-type": "text/html; charset=utf-8" } }));
    const response = await transcribe([...usual, ["response_format", "text"]]);
    expect([response.status, await response.text()]).toEqual([200, "\n"]);
  });

  test("is no sound, and is not charged: nothing at all", async () => {
    upstream.answer(() => new Response("", { headers: { "content-type": "audio/mpeg" } }));
    const response = await speak("by-character", { num_retries: 0 });
    expect(response.status).toBe(502);
    expect(await books.last()).toMatchObject({ operation: "speech", status: "failed", cost: 0n });
  });
});

describe("speech in events", () => {
  const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
  const events = (done: object) => () =>
    new Response(
      `data: ${JSON.stringify({ type: "speech.audio.delta", audio: "A".repeat(50_000) })}\n\ndata: ${JSON.stringify({ type: "speech.audio.done", ...done })}\n\n`,
      { headers: { "content-type": "text/event-stream" } },
    );
  const spoken = async (model: string, done: object) => {
    upstream.answer(events(done));
    const response = await speak(model, { stream_format: "sse" });
    expect([response.status, await response.text()]).toEqual([200, await events(done)().text()]);
    return books.last();
  };

  test("is charged by the tokens that it tells", async () => {
    expect(await spoken("by-token", { usage })).toMatchObject({
      ...{ promptTokens: 14, completionTokens: 101, audioOutputTokens: 101, characters: 5 },
      ...{ cost: 14n * 1_000n + 101n * 20_000n, estimated: false },
    });
  });

  test("is charged by what it is priced by where that is not what it tells", async () => {
    expect(await spoken("by-character", { usage })).toMatchObject({ cost: 5n * 10_000n, estimated: false });
    const { cost, soundMs, estimated } = await spoken("by-second", { usage });
    expect([cost > 0n, soundMs > 0, estimated]).toEqual([true, true, true]);
    expect(await spoken("by-token", {})).toMatchObject({ estimated: true, completionTokens: 8 });
    expect(await spoken("by-token", { usage: { input_tokens: -1, output_tokens: "many" } })).toMatchObject({
      estimated: true,
    });
  });
});

test("speech that is charged by its characters tells what it costs, since that is known before it is heard", async () => {
  const told = async (model: string) => {
    upstream.answer(() => new Response("sound", { headers: { "content-type": "audio/mpeg" } }));
    const response = await speak(model);
    expect([response.status, await response.text()]).toEqual([200, "sound"]);
    return response.headers.get("x-gw-response-cost");
  };
  expect(await told("by-character")).toBe("0.00005");
  expect(await books.last()).toMatchObject({ cost: 50_000n });
  expect(await told("by-token")).toBeNull();
});

test.each(["true", 1, "no", {}])("images take no stream that is neither true nor false: %j", async (stream) => {
  const before = upstream.seen.length;
  const response = await app.call("/v1/images/generations", { key, json: { model: "painter", prompt: "a", stream } });
  const { error } = (await response.json()) as { error: { param: string } };
  expect([response.status, error.param, upstream.seen.length]).toEqual([422, "stream", before]);
});
