import { describe, expect, test } from "bun:test";
import { encodeWav } from "../../src/providers/echo/audio/wav.ts";
import { startBooked } from "../metering/booked-app.ts";
import { formsOf, type Parts, startFormUpstream } from "./form-upstream.ts";

const upstream = startFormUpstream([() => Response.json({ text: "a" })]);
const { app, books } = await startBooked(
  {
    model_list: [
      {
        model_name: "by-second",
        litellm_params: { model: "openai/whisper-1", api_base: `${upstream.origin}/v1`, api_key: "sk-upstream" },
        model_info: { mode: "audio_transcription", input_cost_per_second: 0.0001 },
      },
    ],
    guardrails: [
      { guardrail_name: "said", litellm_params: { guardrail: "word_list", mode: "post_call", words: ["falcon"] } },
    ],
  },
  upstream,
);
const key = app.first.demoKey ?? "";
const formOf = formsOf("audio/wav");
const sound: Parts[number] = ["file", [encodeWav(new Int16Array(24_000), 24_000, ""), "a.wav"]];
const send = (path: string, parts: Parts) => app.call(path, { key, body: formOf(parts) });

describe.each(["/v1/audio/transcriptions", "/v1/audio/translations"])("what %s costs", (path) => {
  const answers = [
    ["json", "application/json", '{"text":"a","usage":{"type":"duration","seconds":3}}', "0.0003"],
    ["verbose_json", "application/json", '{"text":"a","duration":2.5}', "0.00025"],
    ["text", "text/plain; charset=utf-8", "a\n", null],
    ["srt", "text/plain", "1\n00:00:00,000 --> 00:00:02,500\na\n", "0.00025"],
    ["vtt", "text/vtt", "\ufeffWEBVTT\n\n00:00.000 --> 00:02.500\na\n", "0.00025"],
  ] as const;

  test.each(answers)("is told with the answer: %s", async (format, type, said, cost) => {
    upstream.answer(() => new Response(said, { headers: { "content-type": type } }));
    for (const guardrails of ["[]", '["said"]']) {
      const parts: Parts = [sound, ["model", "by-second"], ["response_format", format], ["guardrails", guardrails]];
      const response = await send(path, parts);
      const bytes = Buffer.from(await response.arrayBuffer()).toString("utf8");
      expect([response.status, response.headers.get("content-type"), bytes]).toEqual([200, type, said]);
      const { cost: charged } = await books.last();
      expect(charged).toBeGreaterThan(0n);
      const told = response.headers.get("x-gw-response-cost");
      expect(BigInt(Math.round(Number(told) * 1e9))).toBe(charged);
      if (cost !== null) expect(told).toBe(cost);
    }
  });

  test("is not told where the answer is a stream, which leaves as it arrives", async () => {
    const events = 'data: {"type":"transcript.text.done","text":"a","usage":{"type":"duration","seconds":3}}\n\n';
    upstream.answer(() => new Response(events, { headers: { "content-type": "text/event-stream" } }));
    const response = await send(path, [sound, ["model", "by-second"]]);
    expect([await response.text(), response.headers.get("x-gw-response-cost")]).toEqual([events, null]);
    expect(await books.last()).toMatchObject({ soundMs: 3_000, cost: 300_000n });
  });
});

test("an answer that breaks off is not given by half: the file is sent again, and nothing is charged for the half", async () => {
  const before = upstream.seen.length;
  const half = () => {
    let pulls = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      if (pulls++ > 0) controller.error(new Error("broken"));
      else controller.enqueue(new TextEncoder().encode('{"text":"half of '));
    };
    return new Response(new ReadableStream({ pull }), { headers: { "content-type": "application/json" } });
  };
  const whole = '{"text":"all of it","usage":{"type":"duration","seconds":3}}';
  upstream.answer(half, () => new Response(whole, { headers: { "content-type": "application/json" } }));
  const response = await send("/v1/audio/transcriptions", [sound, ["model", "by-second"], ["num_retries", "1"]]);
  expect([response.status, await response.text()]).toEqual([200, whole]);
  const [first, second] = upstream.seen.slice(before);
  expect(second?.body).toBe(first?.body ?? "");
  expect(await books.last()).toMatchObject({ soundMs: 3_000, cost: 300_000n });
});
