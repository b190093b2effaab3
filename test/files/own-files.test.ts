import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { toFile } from "openai";
import { startAppOn } from "../accounts/people.ts";
import { newCustomer, refusal } from "../assistants/clients.ts";
import { pdfOf } from "./documents.ts";

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** What the provider was asked. */
const asked: Asked[] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    asked.push((await request.json()) as Asked);
    const choices = [{ index: 0, message: { role: "assistant", content: "Read." }, finish_reason: "stop" }];
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    return Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage });
  },
});

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("files of one's own in chats and responses", async () => {
  const app = await startAppOn(
    "sqlite",
    `model_list:
  - model_name: m
    litellm_params: { model: openai/m, api_base: "http://127.0.0.1:${upstream.port}/v1", api_key: sk-up }
    model_info: { input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
general_settings: { signup_credits: 10 }
`,
  );
  afterAll(async () => {
    await app.close();
    await upstream.stop(true);
  });
  beforeEach(() => void asked.splice(0));
  const { client, key } = await newCustomer(app);
  const stranger = await newCustomer(app);
  const upload = async (name: string, content: string | Uint8Array) =>
    (await client.files.create({ file: await toFile(Buffer.from(content), name), purpose: "user_data" })).id;
  const dataUrl = (type: string, content: string | Uint8Array) =>
    `data:${type};base64,${Buffer.from(content).toString("base64")}`;
  const ask = (by: typeof client, file_id: string) =>
    by.chat.completions.create({
      model: "m",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Read this." },
            { type: "file", file: { file_id } },
          ],
        },
      ],
    });
  const partsAsked = () => asked.map(({ messages }) => messages.at(-1)?.content);
  const text = { type: "text", text: "Read this." };

  test("reach the model with what they hold, whoever the provider is", async () => {
    const pdf = pdfOf(["A heron."]);
    await ask(client, await upload("a.txt", "A heron."));
    await ask(client, await upload("a.pdf", pdf));
    await ask(client, await upload("a.bin", PNG));
    expect(partsAsked()).toEqual([
      [text, { type: "file", file: { filename: "a.txt", file_data: dataUrl("text/plain", "A heron.") } }],
      [text, { type: "file", file: { filename: "a.pdf", file_data: dataUrl("application/pdf", pdf) } }],
      [text, { type: "image_url", image_url: { url: dataUrl("image/png", PNG) } }],
    ]);
  });

  test("are read anew for each turn of a response, which keeps their ids alone", async () => {
    const [note, picture] = [await upload("a.txt", "A heron."), await upload("a.png", PNG)];
    const content = [
      { type: "input_file" as const, file_id: note },
      { type: "input_image" as const, file_id: picture, detail: "auto" as const },
      { type: "input_text" as const, text: "Read this." },
    ];
    const first = await client.responses.create({ model: "m", input: [{ role: "user", content }] });
    const { data } = await client.responses.inputItems.list(first.id);
    expect(data).toMatchObject([{ role: "user", content }]);
    await client.responses.create({ model: "m", input: "And now?", previous_response_id: first.id });
    const sent = [
      { type: "file", file: { filename: "a.txt", file_data: dataUrl("text/plain", "A heron.") } },
      { type: "image_url", image_url: { url: dataUrl("image/png", PNG) } },
      text,
    ];
    expect(asked.map(({ messages }) => messages[0]?.content)).toEqual([sent, sent]);
  });

  test("are 404 for others and when they are deleted, and the model is not asked", async () => {
    const id = await upload("a.txt", "secret");
    expect((await refusal(ask(stranger.client, id))).status).toBe(404);
    const input = [{ role: "user" as const, content: [{ type: "input_file" as const, file_id: id }] }];
    expect((await refusal(stranger.client.responses.create({ model: "m", input }))).status).toBe(404);
    await client.files.delete(id);
    expect((await refusal(ask(client, id))).status).toBe(404);
    expect(asked).toEqual([]);
  });

  test("that no model could read are refused", async () => {
    const id = await upload("a.zip", Uint8Array.of(80, 75, 3, 4, 0, 0));
    expect(await refusal(ask(client, id))).toMatchObject({ status: 400, param: "messages" });
    expect(asked).toEqual([]);
  });

  test("count as often as they are named: a few characters do not stand for gigabytes", async () => {
    const file_id = await upload("a.txt", "x".repeat(1024 * 1024));
    const named = (times: number) =>
      client.chat.completions.create({
        model: "m",
        messages: [
          {
            role: "user",
            content: Array.from({ length: times }, () => ({ type: "file" as const, file: { file_id } })),
          },
        ],
      });
    expect(await refusal(named(33))).toMatchObject({ status: 400, param: "messages" });
    expect(asked).toEqual([]);
  });

  test("are found among parts that make no sense, which are not ours to judge", async () => {
    const file_id = await upload("a.txt", "A heron.");
    const content = [null, "x", { type: "file" }, { type: "file", file: null }, { type: "file", file: { file_id } }];
    const response = await app.call("/v1/chat/completions", {
      key,
      json: { model: "m", messages: [{ role: "user", content }] },
    });
    expect([200, 400, 422]).toContain(response.status);
  });

  test("do not stand in the way of ids that are the provider's", async () => {
    await ask(client, "file-6F2ksmvXxt4VdoqmHRw6kL");
    expect(partsAsked()).toEqual([[text, { type: "file", file: { file_id: "file-6F2ksmvXxt4VdoqmHRw6kL" } }]]);
  });
});
