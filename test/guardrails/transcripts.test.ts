import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

let segments: string[] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: () =>
    Response.json({
      task: "transcribe",
      text: segments.join("").trim(),
      segments: segments.map((text, id) => ({ id, start: id, end: id + 1, text })),
    }),
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "ears",
        litellm_params: { model: "openai/whisper-1", api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "k" },
        model_info: { free: true },
      },
    ],
    guardrails: [{ guardrail_name: "pii", litellm_params: { guardrail: "pii", mode: "post_call", default_on: true } }],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});

async function hear(said: string[]): Promise<{ text: string; segments?: { text: string }[] }> {
  segments = said;
  const form = new FormData();
  form.set("model", "ears");
  form.set("response_format", "verbose_json");
  form.set("file", new File([new Uint8Array(64)], "sound.mp3"));
  const response = await app.call("/v1/audio/transcriptions", { key: MASTER_KEY, body: form });
  expect(response.status).toBe(200);
  return (await response.json()) as { text: string };
}

test("segments of a transcript do not tell the two halves of what is masked", async () => {
  const { text, segments } = await hear([" My card is 4111 1111", " 1111 1111, thanks."]);
  expect(text).toBe("My card is [CREDIT_CARD_1], thanks.");
  expect(segments).toBeUndefined();
});

test("those that have all of it stay", async () => {
  const { text, segments } = await hear([" My card is 4111 1111 1111 1111.", " Thanks."]);
  expect(text).toBe("My card is [CREDIT_CARD_1]. Thanks.");
  expect(segments?.map((one) => one.text)).toEqual([" My card is [CREDIT_CARD_1].", " Thanks."]);
});
