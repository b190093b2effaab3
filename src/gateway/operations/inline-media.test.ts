import { expect, test } from "bun:test";
import type { ChatRequest } from "../../contract/chat.ts";
import type { Transport } from "../../providers/transport.ts";
import { inlineMedia } from "./inline-media.ts";

const asked: string[] = [];
const transport = {
  async sendGuarded({ url }: { url: string }) {
    asked.push(url);
    return new Response("AAA", { headers: { "content-type": "image/png" } });
  },
} as unknown as Transport;

test("pictures by address are fetched, in OpenAI's form and in Anthropic's, each once", async () => {
  const url = "https://a.test/p.png";
  const stays = { type: "image", source: { type: "base64", media_type: "image/png", data: "BBB" } };
  const content = [
    { type: "image_url", image_url: { url } },
    { type: "image", source: { type: "url", url }, cache_control: { type: "ephemeral" } },
    stays,
    { type: "image" },
    { type: "text", text: url },
  ];
  const request = { model: "m", messages: [{ role: "user", content }] } as ChatRequest;
  const { messages } = await inlineMedia(transport, request, new AbortController().signal);
  expect(messages[0]?.content as unknown).toEqual([
    { type: "image_url", image_url: { url: "data:image/png;base64,QUFB" } },
    {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "QUFB" },
      cache_control: { type: "ephemeral" },
    },
    stays,
    { type: "image" },
    { type: "text", text: url },
  ]);
  expect(asked).toEqual([url]);
});
