import { expect, test } from "bun:test";
import { jsonOf, targetOf } from "./openai/test-target.ts";
import { encodeProbe } from "./probe.ts";

test.each([
  ["chat", "/chat/completions"],
  ["completion", "/completions"],
  ["embedding", "/embeddings"],
  ["image_generation", "/images/generations"],
  ["moderation", "/moderations"],
  ["audio_speech", "/audio/speech"],
  ["audio_transcription", "/audio/transcriptions"],
])("a model of the kind %s is checked at %s", (mode, path) => {
  expect(encodeProbe(targetOf("openai"), mode).request.url).toBe(`https://api.openai.com/v1${path}`);
});

test("a text model of a provider without text completions is checked with a chat", () => {
  const { request } = encodeProbe(targetOf("groq"), "completion");
  expect(request.url).toEndWith("/chat/completions");
  expect(jsonOf(request).model).toBe("a-model");
});

test("the sound that is sent for a check is a WAV file", async () => {
  const { request } = encodeProbe(targetOf("openai"), "audio_transcription");
  if (!(request.body instanceof ReadableStream)) throw new Error("no stream");
  const text = Buffer.from(await new Response(request.body).arrayBuffer()).toString("latin1");
  expect(text).toContain('filename="silence.wav"');
  expect(text).toContain("RIFF\x64\x06\x00\x00WAVEfmt ");
});

test("what cannot be checked is said", () => {
  expect(() => encodeProbe(targetOf("nobody"), "chat")).toThrow("`nobody` is not served");
  expect(() => encodeProbe(targetOf("openai"), "video")).toThrow("`video` cannot be checked");
  expect(() => encodeProbe(targetOf("openai"), "constructor")).toThrow("cannot be checked");
  expect(() => encodeProbe(targetOf("groq"), "embedding")).toThrow("Groq has no models of the kind");
});

test("a failed check is explained by the provider that failed", () => {
  const { provider } = encodeProbe(targetOf("groq"), "chat");
  expect(provider.classify({ status: 503, headers: new Headers(), body: "" }).message).toBe(
    "Groq answered with status 503.",
  );
});
