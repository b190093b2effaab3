import { describe, expect, test } from "bun:test";
import { checkFake } from "../../../test/upstreams/fake-suite.ts";
import { fakeVertex } from "../../../test/upstreams/gemini.ts";
import type { ChatRequest } from "../../contract/chat.ts";
import { chat, facts, target } from "../gemini/test-gemini.ts";
import { createGoogleTokens } from "../google-token.ts";
import { vertexAi } from "./provider.ts";

describe("the fake Vertex AI", () => {
  checkFake(vertexAi, fakeVertex);

  const upstream = fakeVertex({ reply: ({ toolResults }) => ({ text: `Hello${toolResults.join()}` }) });
  const credentials = {
    type: "authorized_user",
    client_id: "a",
    client_secret: "b",
    refresh_token: "c",
    token_uri: "http://127.0.0.1/token",
  };

  async function send(request: ChatRequest, upstreamModel: string): Promise<Response> {
    const params = { vertex_project: "p", vertex_credentials: credentials };
    const to = target({ upstreamModel, apiKey: null, apiBase: "http://127.0.0.1", params });
    const sent = vertexAi.chat?.encode(request, to);
    if (sent?.sign?.kind !== "google") throw new Error("the request is not signed");
    const tokens = createGoogleTokens({ fetch: (url, init) => upstream(new Request(url, init)), nowMs: () => 0 });
    const authorization = `Bearer ${await tokens.accessToken(sent.sign.credentials)}`;
    const headers = { ...sent.headers, authorization };
    return upstream(new Request(sent.url, { method: "POST", headers, body: String(sent.body) }));
  }

  test.each(["gemini-2.5-flash", "claude-sonnet-4@20250514"])("answers a signed call to %s", async (model) => {
    const answer = vertexAi.chat?.decode?.(await (await send(chat(), model)).json(), chat(), facts);
    expect(answer?.choices[0]?.message.content).toBe("Hello");
  });

  test("takes a conversation whose calls lost their seal", async () => {
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c1", content: "!" },
    ];
    const tools = [{ type: "function", function: { name: "f" } }];
    expect((await send(chat({ messages, tools }), "gemini-3-pro-preview")).status).toBe(200);
  });
});
