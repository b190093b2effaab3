import { describe, expect, test } from "bun:test";
import { encodeWav } from "../../src/providers/echo/audio/wav.ts";
import { MASTER_KEY } from "../app.ts";
import { startBooked } from "../metering/booked-app.ts";
import { formsOf, type Parts, startFormUpstream } from "./form-upstream.ts";

const upstream = startFormUpstream([() => Response.json({ text: "a" })]);
const openai = { api_base: `${upstream.origin}/v1`, api_key: "sk-upstream" };
const takesAudio = "audio_transcription";
const makesImages = "image_generation";
const { app } = await startBooked(
  {
    model_list: [
      {
        model_name: "unpriced-ears",
        litellm_params: { model: "openai/my-ears", api_base: "https://llm.example.com/v1", api_key: "sk-x" },
        model_info: { mode: takesAudio },
      },
      {
        model_name: "painter",
        litellm_params: { model: "openai/gpt-image-1", ...openai },
        model_info: { mode: makesImages },
      },
      {
        model_name: "offline-painter",
        litellm_params: { model: "echo/image" },
        model_info: { mode: makesImages, free: true },
      },
      {
        model_name: "deaf",
        litellm_params: { model: "anthropic/claude", api_key: "k" },
        model_info: { mode: takesAudio, free: true },
      },
      ...["chat", "completion", "embedding", "image", "speech", "transcription", "moderation"].map((kind) => ({
        model_name: `offline-${kind}`,
        litellm_params: { model: `echo/${kind}` },
        model_info: { free: true },
      })),
    ],
  },
  upstream,
);
const key = app.first.demoKey ?? "";
const formOf = formsOf("audio/wav");
const wav = encodeWav(new Int16Array(24_000), 24_000, "");
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const send = (path: string, parts: Parts) => app.call(path, { key, body: formOf(parts) });
const sound: Parts[number] = ["file", [wav, "a.wav"]];
const picture: Parts[number] = ["image", [png, "a.png", "image/png"]];
const HEARING = ["/v1/audio/transcriptions", "/v1/audio/translations"];

describe("what a model is told to take", () => {
  const listed = async (name: string, path = "/v1/model/info") => {
    const { data } = (await (await app.call(path, { key: MASTER_KEY })).json()) as {
      data: { model_name?: string; model_group?: string; model_info?: { supported_openai_params: string[] | null } }[];
    };
    return data.find((one) => (one.model_name ?? one.model_group) === name);
  };

  test.each(["painter", "offline-painter"])("%s draws whole pictures: nobody is told to stream them", async (name) => {
    for (const path of ["/v1/model/info", "/model/info"]) {
      const taken = (await listed(name, path))?.model_info?.supported_openai_params ?? [];
      expect(taken).toContain("size");
      expect(taken).not.toContain("stream");
      expect(taken).not.toContain("partial_images");
    }
    const group = (await listed(name, "/model_group/info")) as { supported_openai_params?: string[] };
    expect(group.supported_openai_params).toContain("size");
    expect(group.supported_openai_params).not.toContain("stream");
  });

  test("nothing, where its provider has no such calls", async () => {
    expect((await listed("deaf"))?.model_info?.supported_openai_params).toBeNull();
  });
});

test.each(HEARING)("who asks %s of a model without a price is told every price that would do", async (path) => {
  const response = await send(path, [sound, ["model", "unpriced-ears"]]);
  const { error } = (await response.json()) as { error: { message: string } };
  expect(response.status).toBe(400);
  expect(error.message).toContain(
    "can state `input_cost_per_second`, or `input_cost_per_token` and `output_cost_per_token`, or `free: true`",
  );
});

describe("of the offline models", () => {
  const calls: readonly [kind: string, ask: (model: string) => Promise<Response>][] = [
    ["transcription", (model) => send("/v1/audio/transcriptions", [sound, ["model", model]])],
    ["transcription", (model) => send("/v1/audio/translations", [sound, ["model", model]])],
    ["image", (model) => send("/v1/images/edits", [picture, ["model", model], ["prompt", "a lake"]])],
    ["image", (model) => app.call("/v1/images/generations", { key, json: { model, prompt: "a lake" } })],
    ["speech", (model) => app.call("/v1/audio/speech", { key, json: { model, input: "hi", voice: "alloy" } })],
  ];

  test.each(calls)("only that for %s answers", async (kind, ask) => {
    for (const other of ["chat", "completion", "embedding", "image", "speech", "transcription", "moderation"]) {
      const response = await ask(`offline-${other}`);
      if (other === kind) {
        expect([other, response.status]).toEqual([other, 200]);
        await response.arrayBuffer();
        continue;
      }
      const { error } = (await response.json()) as { error: { message: string; param: string | null } };
      expect([other, response.status]).toEqual([other, 400]);
      expect(error.message).toContain(`Call \`echo-${kind}\``);
    }
  });
});
