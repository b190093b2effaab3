import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

let segments: string[] = [];
/** What stands between two of them in the text as a whole. */
let between = "";
let subtitles = "";
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: async (request) => {
    if (!(await request.text()).includes("verbose_json")) return new Response(subtitles);
    return Response.json({
      task: "transcribe",
      text: segments.join(between).trim(),
      segments: segments.map((text, id) => ({ id, start: id, end: id + 1, text })),
    });
  },
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
    guardrails: [
      { guardrail_name: "none", litellm_params: { guardrail: "pii", mode: "post_call", action: "block" } },
      { guardrail_name: "pii", litellm_params: { guardrail: "pii", mode: "post_call", default_on: true } },
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});

async function hear(said: string[], apart = ""): Promise<{ text: string; segments?: { text: string }[] }> {
  segments = said;
  between = apart;
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

test("a text that has each segment in a line of its own does not tell the two halves either", async () => {
  const { text, segments } = await hear([" My card is 4111 1111", " 1111 1111, thanks.", " Bye."], "\n");
  expect(text).toBe("My card is [CREDIT_CARD_1], thanks.\n Bye.");
  expect(segments).toBeUndefined();
});

test("those that have all of it stay", async () => {
  const { text, segments } = await hear([" My card is 4111 1111 1111 1111.", " Thanks."]);
  expect(text).toBe("My card is [CREDIT_CARD_1]. Thanks.");
  expect(segments?.map((one) => one.text)).toEqual([" My card is [CREDIT_CARD_1].", " Thanks."]);
});

async function watch(said: string, guardrails = ""): Promise<{ status: number; text: string }> {
  subtitles = said;
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: "ears", response_format: "srt", guardrails })) {
    if (value !== "") form.set(name, value);
  }
  form.set("file", new File([new Uint8Array(64)], "sound.mp3"));
  const response = await app.call("/v1/audio/transcriptions", { key: MASTER_KEY, body: form });
  return { status: response.status, text: await response.text() };
}

const SRT = `1
00:00:00,000 --> 00:00:02,000
My card is 4111 1111

2
00:00:02,000 --> 00:00:04,000
1111 1111

3
00:00:04,000 --> 00:00:06,000
and DE89 3704
0044

4
00:00:06,000 --> 00:00:08,000
0532 0130 00 is my account.
Thanks.
`;

test("subtitles do not tell the parts of what is masked", async () => {
  expect((await watch(SRT)).text).toBe(`1
00:00:00,000 --> 00:00:02,000
My card is [CREDIT_CARD_1]

3
00:00:04,000 --> 00:00:06,000
and [IBAN_1] is my account.

4
00:00:06,000 --> 00:00:08,000
Thanks.
`);
  const vtt = `WEBVTT\n\n${SRT.replaceAll(",000", ".000")}`.replaceAll("\n", "\r\n");
  const shown = (await watch(vtt)).text;
  expect(shown).toContain(
    "WEBVTT\r\n\r\n1\r\n00:00:00.000 --> 00:00:02.000\r\nMy card is [CREDIT_CARD_1]\r\n\r\n3\r\n",
  );
  expect(shown).not.toMatch(/1111|3704|0044|0532/);
  expect((await watch("My card is 4111 1111\n1111 1111, thanks.\n")).text).toBe(
    "My card is [CREDIT_CARD_1], thanks.\n",
  );
});

test("who speaks, and how it is drawn, tears nothing apart", async () => {
  const vtt = `WEBVTT

00:00.000 --> 00:02.000
<v Ann>My card is 4111 <c.loud>1111</c></v>

00:02.000 --> 00:04.000
<v Ann>1111 1111.</v>

00:04.000 --> 00:06.000
<v Bob>Mine is 4111<00:05.000> 1111 <i>1111</i> 1111,</v>
<v Bob>and <b>thanks</b>.</v>
`;
  expect((await watch(vtt)).text).toBe(`WEBVTT

00:00.000 --> 00:02.000
<v Ann>My card is [CREDIT_CARD_1].</v>

00:04.000 --> 00:06.000
<v Bob>Mine is [CREDIT_CARD_1],</v>
<v Bob>and <b>thanks</b>.</v>
`);
  expect((await watch(vtt, "none")).status).toBe(400);
});

test("subtitles that say parts of what is refused are refused", async () => {
  expect((await watch(SRT, "none")).status).toBe(400);
});

test("subtitles in which nothing goes over their ends stay as they are", async () => {
  const subtitled = SRT.replaceAll(/\d{4} ?/g, "some ").replace("2\n00", "2\n\n00");
  expect((await watch(subtitled)).text).toBe(subtitled);
});
