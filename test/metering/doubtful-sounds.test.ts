import { expect, test } from "bun:test";
import { startBooked } from "./booked-app.ts";

/** An upstream that answers with what the prompt says, as it is. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const said = String((await request.formData()).get("prompt"));
    const type = said.startsWith("{") ? "application/json" : "text/plain";
    return new Response(said, { headers: { "content-type": type } });
  },
});
const litellm_params = { model: "openai/m", api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "sk-x" };
const mode = "audio_transcription";
const { app, books } = await startBooked(
  {
    model_list: [
      { model_name: "by-second", litellm_params, model_info: { mode, input_cost_per_second: 0.0001 } },
      {
        model_name: "by-token",
        litellm_params,
        model_info: {
          mode,
          input_cost_per_audio_token: 0.000006,
          input_cost_per_token: 0.0000025,
          output_cost_per_token: 0.00001,
        },
      },
    ],
  },
  upstream,
);

async function call(prompt: string, format: string, model = "by-second") {
  const form = new FormData();
  form.set("file", new File([new Uint8Array(16_000)], "speech.wav", { type: "audio/wav" }));
  form.set("model", model);
  form.set("response_format", format);
  form.set("prompt", prompt);
  const response = await app.call("/v1/audio/transcriptions", { key: app.first.demoKey ?? "", body: form });
  await response.text();
  expect(response.status).toBe(200);
  return books.last();
}

test.each([
  ["longer than any call", "verbose_json", '{"text":"a","duration":1e300}'],
  ["longer than any call, as usage", "json", '{"text":"a","usage":{"type":"duration","seconds":1e12}}'],
  ["endless", "verbose_json", '{"text":"a","duration":1e999}'],
  ["negative", "verbose_json", '{"text":"a","duration":-3}'],
  ["no number", "verbose_json", '{"text":"a","duration":"long"}'],
  ["subtitles that end in another month", "srt", "1\n00:00:00,000 --> 999:59:59,999\na\n"],
])("a length that cannot be true is none, and the file is what the call is charged by: %s", async (_, format, said) => {
  // About a second, by the length of the file.
  expect(await call(said, format)).toMatchObject({
    status: "succeeded",
    estimated: true,
    soundMs: 1_000,
    cost: 100_000n,
  });
});

test("a length that can be true is believed", async () => {
  expect(await call('{"text":"a","duration":2.5}', "verbose_json")).toMatchObject({ soundMs: 2_500, cost: 250_000n });
  expect(await call("1\n00:00:00,000 --> 00:00:03,000\na\n", "srt")).toMatchObject({ soundMs: 3_000, cost: 300_000n });
});

const SECONDS = '{"text":"a","usage":{"type":"duration","seconds":2.5}}';
const TOKENS =
  '{"text":"a","usage":{"type":"tokens","input_tokens":30,"output_tokens":4,"input_token_details":{"text_tokens":5,"audio_tokens":25}}}';

test("who charges by the second is told of tokens, and the other way round: the call is not free", async () => {
  expect(await call(SECONDS, "json")).toMatchObject({ soundMs: 2_500, cost: 250_000n, estimated: false });
  expect(await call(TOKENS, "json")).toMatchObject({ soundMs: 2_500, cost: 250_000n, estimated: true });
  const tokens = { promptTokens: 30, audioInputTokens: 25, completionTokens: 4 };
  expect(await call(TOKENS, "json", "by-token")).toMatchObject({ ...tokens, cost: 202_500n, estimated: false });
  const guessed = { audioInputTokens: 25, completionTokens: 1, soundMs: 2_500 };
  expect(await call(SECONDS, "json", "by-token")).toMatchObject({ ...guessed, cost: 160_000n, estimated: true });
});
