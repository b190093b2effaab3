import { afterAll, beforeEach, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

/** What upstreams were sent. */
const seen: string[] = [];
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const said = { role: "assistant", content: "yes" };
const chatAnswer = { id: "x", created: 1, model: "m", choices: [{ index: 0, message: said, finish_reason: "stop" }] };
const cohereAnswer = { id: "x", finish_reason: "COMPLETE", message: { role: "assistant", content: [] } };
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const body = (await request.json()) as { documents?: unknown[] };
    seen.push(JSON.stringify(body));
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/rerank"))
      return Response.json({
        id: "x",
        results: body.documents?.map((document, index) => ({ index, relevance_score: 0.5, document })),
      });
    if (pathname.endsWith("/v2/chat")) return Response.json(cohereAnswer);
    return Response.json({ ...chatAnswer, object: "chat.completion", usage });
  },
});
const origin = `http://127.0.0.1:${upstream.port}`;
const model = (model_name: string, name: string, api_base: string) => ({
  model_name,
  litellm_params: { model: name, api_base, api_key: "k" },
  model_info: { free: true },
});
const app = await startApp(
  JSON.stringify({
    model_list: [model("own", "hosted_vllm/m", `${origin}/v1`), model("cohere", "cohere/command-r", origin)],
    guardrails: [{ guardrail_name: "pii", litellm_params: { guardrail: "pii", default_on: true } }],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});
beforeEach(() => void seen.splice(0));

async function ask(path: string, json: object): Promise<{ sent: string; answer: string }> {
  const response = await app.call(path, { key: MASTER_KEY, json });
  const answer = await response.text();
  expect({ status: response.status, answer }).toMatchObject({ status: 200 });
  return { sent: seen.join("\n"), answer };
}

const messages = [{ role: "user", content: "who?" }];
const RECORD = {
  id: "ann@example.com",
  name: "bob@example.com",
  data: "cy@example.com",
  format: "di@example.com",
  to: ["eve@example.com"],
};

test.each(["own", "cohere"])("documents are read in full, whatever their fields are called (%s)", async (name) => {
  const documents = [{ ...RECORD, url: "https://example.com/1" }];
  const { sent, answer } = await ask("/v1/rerank", { model: name, query: "who?", documents, return_documents: true });
  expect(sent).not.toContain("@");
  expect(sent).toContain("[EMAIL_4]");
  expect(sent).toContain("https://example.com/1");
  // Others give back no more than the text.
  if (name === "cohere") expect(JSON.parse(answer).results[0].document).toMatchObject(RECORD);
});

test("documents of a chat and those that a tool gives back are read in full", async () => {
  const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
  const { sent } = await ask("/v1/chat/completions", {
    model: "cohere",
    messages: [
      ...messages,
      { role: "assistant", content: null, tool_calls: [call] },
      {
        role: "tool",
        tool_call_id: "c",
        content: [{ type: "document", document: { id: "1", data: { from: "bob@example.com" } } }],
      },
    ],
    documents: [{ id: "2", data: { title: "cy@example.com" } }, "di@example.com"],
  });
  expect(sent).not.toContain("@");
  expect(sent).toContain("[EMAIL_3]");
});

test("what only the server behind a model knows is read in full", async () => {
  const schema = { type: "object", properties: { name: { type: "string", description: "as di@example.com" } } };
  const { sent } = await ask("/v1/chat/completions", {
    model: "own",
    messages,
    chat_template_kwargs: { name: "ann@example.com" },
    guided_json: schema,
    structured_outputs: { json: { ...schema, description: "as eve@example.com" } },
    extra_body: { name: "bob@example.com" },
  });
  expect(sent).not.toContain("@");
  expect(sent).toContain("[EMAIL_4]");
  expect(sent).toContain('"properties":{"name":{"type":"string"');
});
