import { afterAll, expect, test } from "bun:test";
import { startApp } from "../app.ts";
import { newCustomer } from "../assistants/clients.ts";

const app = await startApp(
  JSON.stringify({
    model_list: [
      { model_name: "m", litellm_params: { model: "echo/chat" }, model_info: { free: true } },
      {
        model_name: "v",
        litellm_params: { model: "echo/embedding" },
        model_info: { free: true, mode: "embedding" },
      },
    ],
    guardrails: [
      { guardrail_name: "words", litellm_params: { guardrail: "word_list", mode: "pre_call", words: ["falcon"] } },
    ],
  }),
);
afterAll(() => app.close());
const { client, key } = await newCustomer(app);

test("a guardrail that would not look is not passed over where somebody names it", async () => {
  const assistant = await client.beta.assistants.create({ model: "m" });
  const thread = await client.beta.threads.create({ messages: [{ role: "user", content: "a falcon" }] });
  const store = await client.vectorStores.create({ name: "any" });
  const line = JSON.stringify({
    ...{ custom_id: "a", method: "POST", url: "/v1/chat/completions" },
    body: { model: "m", messages: [{ role: "user", content: "a falcon" }] },
  });
  const calls = await client.files.create({ file: new File([line], "calls.jsonl"), purpose: "batch" });
  const file = await client.files.create({ file: new File(["a falcon"], "a.txt"), purpose: "assistants" });
  const places: [path: string, body: object][] = [
    [`/v1/threads/${thread.id}/runs`, { assistant_id: assistant.id }],
    ["/v1/threads/runs", { assistant_id: assistant.id, thread: { messages: [{ role: "user", content: "a falcon" }] } }],
    ["/v1/assistants", { model: "m" }],
    [`/v1/assistants/${assistant.id}`, { name: "any" }],
    [`/v1/vector_stores/${store.id}/search`, { query: "a falcon" }],
    ["/v1/vector_stores", { name: "any", file_ids: [file.id] }],
    [`/v1/vector_stores/${store.id}/files`, { file_id: file.id }],
    [`/v1/vector_stores/${store.id}/file_batches`, { file_ids: [file.id] }],
    ["/v1/batches", { input_file_id: calls.id, endpoint: "/v1/chat/completions", completion_window: "24h" }],
  ];
  for (const [path, body] of places) {
    for (const named of [{ guardrails: ["words"] }, { litellm_metadata: { guardrails: ["words"] } }]) {
      const response = await app.call(path, { key, json: { ...body, ...named } });
      const { error } = (await response.json()) as { error: { param: string } };
      expect([path, response.status, error?.param]).toEqual([path, 400, "guardrails"]);
    }
    const plain = { guardrails: [], litellm_metadata: { tags: ["a"] }, metadata: { guardrails: "a word of theirs" } };
    expect((await app.call(path, { key, json: { ...body, ...plain } })).status).toBe(200);
  }
});
