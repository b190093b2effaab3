import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const folder = newFolder();
let turnpike: Turnpike;
let client: OpenAI;

beforeAll(async () => {
  turnpike = await startTurnpike(folder.path);
  const apiKey = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
  client = new OpenAI({ baseURL: `${turnpike.url}/v1`, apiKey, maxRetries: 0 });
});
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  folder.remove();
});

const messages = [{ role: "user" as const, content: "Hello!" }];

describe("the official client", () => {
  test("completes a chat", async () => {
    const answer = await client.chat.completions.create({ model: "echo", messages });
    expect(answer.choices[0]?.message.content).toContain("Hello!");
    expect(answer.usage?.total_tokens).toBeGreaterThan(0);
  });

  test("streams a chat", async () => {
    const stream = await client.chat.completions.create({
      model: "echo",
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let tokens = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      tokens = chunk.usage?.total_tokens ?? tokens;
    }
    expect(text).toContain("Hello!");
    expect(tokens).toBeGreaterThan(0);
  });

  test("embeds, moderates, draws, speaks and writes down", async () => {
    const vectors = await client.embeddings.create({ model: "echo-embedding", input: ["a", "b"], dimensions: 8 });
    expect(vectors.data.map(({ embedding }) => embedding.length)).toEqual([8, 8]);
    const verdict = await client.moderations.create({ model: "echo-moderation", input: "a kind word" });
    expect(verdict.results[0]?.flagged).toBe(false);
    const picture = await client.images.generate({ model: "echo-image", prompt: "a hill", size: "256x256" });
    expect(
      Buffer.from(picture.data?.[0]?.b64_json ?? "", "base64")
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    const spoken = await client.audio.speech.create({
      model: "echo-speech",
      input: "good morning",
      voice: "alloy",
      response_format: "wav",
    });
    const file = await OpenAI.toFile(await spoken.arrayBuffer(), "speech.wav", { type: "audio/wav" });
    const written = await client.audio.transcriptions.create({ model: "echo-transcription", file });
    expect(written.text).toBe("good morning");
    const translated = await client.audio.translations.create({ model: "echo-transcription", file });
    expect(translated.text).toBe("good morning");
    const subtitles = await client.audio.translations.create({
      model: "echo-transcription",
      file,
      response_format: "srt",
    });
    expect(String(subtitles)).toContain("-->");
  });

  test("edits one picture and several, with a mask", async () => {
    const drawn = await client.images.generate({ model: "echo-image", prompt: "a hill", size: "64x64" });
    const bytes = Buffer.from(drawn.data?.[0]?.b64_json ?? "", "base64");
    const image = await OpenAI.toFile(bytes, "hill.png", { type: "image/png" });
    const one = await client.images.edit({ model: "echo-image", image, mask: image, prompt: "a lake", n: 2 });
    expect([one.data?.length, one.size]).toEqual([2, "64x64"] as never);
    // The mask covers all of it: nothing was drawn.
    const kept = Buffer.from(one.data?.[0]?.b64_json ?? "", "base64");
    expect(kept).toEqual(bytes);
    const several = await client.images.edit({ model: "echo-image", image: [image, image], prompt: "a lake" });
    expect(several.usage?.input_tokens_details).toEqual({ text_tokens: 2, image_tokens: 8 });
    const streamed = client.images.edit({ model: "echo-image", image, prompt: "a lake", stream: true });
    expect(await streamed.then(String, (error: unknown) => error)).toMatchObject({ status: 400, param: "stream" });
  });

  test("lists models and looks one up", async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain("echo");
    expect((await client.models.retrieve("echo")).id).toBe("echo");
  });

  test("sees our errors as its own classes", async () => {
    // The client's promises are of a class of their own, which `rejects` does not know.
    const failure = async (from: OpenAI, params: { model: string; messages: typeof messages }): Promise<unknown> =>
      from.chat.completions.create(params).then(
        () => null,
        (error: unknown) => error,
      );
    expect(await failure(client, { model: "none", messages })).toBeInstanceOf(OpenAI.NotFoundError);
    const stranger = new OpenAI({ baseURL: `${turnpike.url}/v1`, apiKey: "sk-unknown", maxRetries: 0 });
    expect(await failure(stranger, { model: "echo", messages })).toBeInstanceOf(OpenAI.AuthenticationError);
    const refused = await failure(client, { model: "echo", messages: [] });
    expect(refused).toBeInstanceOf(OpenAI.UnprocessableEntityError);
    expect(refused).toMatchObject({ message: expect.stringContaining("messages: "), param: "messages" });
  });

  test("sees an error in the middle of a stream", async () => {
    const params = { model: "echo", messages, stream: true as const, echo_fault: { cut_after: 2 } };
    const stream = await client.chat.completions.create(params);
    const read = async () => {
      for await (const chunk of stream) void chunk;
    };
    await expect(read()).rejects.toBeInstanceOf(OpenAI.APIError);
  });

  test("that leaves ends the stream at the upstream", async () => {
    const params = {
      model: "echo",
      messages: [{ role: "user" as const, content: "w ".repeat(2_000) }],
      stream: true as const,
      // Only its reader can end it.
      echo_fault: { token_delay_ms: 60_000 },
    };
    const stream = await client.chat.completions.create(params);
    for await (const chunk of stream) {
      void chunk;
      stream.controller.abort();
    }
    const master = JSON.parse(await Bun.file(`${folder.path}/data/secrets.json`).text()).masterKey;
    const inFlight = async () => {
      const response = await fetch(`${turnpike.url}/metrics`, { headers: { "x-gw-api-key": master } });
      return /turnpike_http_requests_in_flight (\d+)/.exec(await response.text())?.[1];
    };
    while ((await inFlight()) !== "1") await Bun.sleep(50);
  });
});
