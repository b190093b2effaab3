import { afterAll, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { startApp } from "../app.ts";

/** As OpenRouter answers by now, asked or not. */
const PRICED = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  cost: 0.99,
  is_byok: false,
  cost_details: { upstream_inference_cost: 0.77 },
  estimated_cost: 0.55,
};
const HEAD = { id: "gen-1", created: 1, model: "their/name", provider: "Somebody" };
/** Over a megabyte, the answer is not parsed as a whole. */
const LONG = "x".repeat(1_100_000);

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const body = (await request.json()) as { stream?: boolean; input?: string; messages?: { content: string }[] };
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/embeddings")) {
      const embedding = body.input === "long" ? Array.from({ length: 300_000 }, () => 0.5) : [1, 0];
      const data = [{ object: "embedding", index: 0, embedding }];
      return Response.json({ object: "list", model: "their/name", data, usage: PRICED });
    }
    if (body.stream === true) {
      const frame = (chunk: object) => `data: ${JSON.stringify({ ...HEAD, ...chunk })}\n\n`;
      const said = { index: 0, text: "Hi", delta: { content: "Hi" }, finish_reason: null };
      const last = { index: 0, text: "", delta: { content: "" }, finish_reason: "stop" };
      // The usage comes with a choice that says nothing more, as OpenRouter has it.
      const text = frame({ choices: [said] }) + frame({ choices: [last], usage: PRICED });
      return new Response(`${text}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
    }
    const content = body.messages?.[0]?.content === "long" ? LONG : "Hi, it has a cost";
    const choices = [{ index: 0, text: "Hi", message: { role: "assistant", content }, finish_reason: "stop" }];
    return Response.json({ ...HEAD, object: "chat.completion", choices, usage: PRICED });
  },
});
const PRICES = { input_cost_per_token: 0.000003, output_cost_per_token: 0.000015 };
const reached = { api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "sk-up" };
const app = await startApp(
  JSON.stringify({
    model_list: [
      { model_name: "priced", litellm_params: { model: "openrouter/m", ...reached, ...PRICES } },
      { model_name: "host", litellm_params: { model: "hosted_vllm/m", ...reached, ...PRICES } },
    ],
  }),
);
afterAll(() => Promise.all([app.close(), upstream.stop(true)]));
const owner = await newPerson(app);
const [team] = await app.storage.accounts.teams.list(owner.ownId);
const { key } = (await owner.send("POST", "/api/gw/api-keys", { name: "k", team_id: team?.team.id })).body as {
  key: string;
};
/** Ten tokens in, five out, at the prices above. */
const COST = 0.000105;
const OURS = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const ask = async (path: string, json: object) => {
  const answer = await app.call(path, { key, json: { model: "priced", ...json } });
  expect(answer.status).toBe(200);
  return answer.text();
};
const messages = [{ role: "user", content: "hi" }];
const OPERATIONS: [string, object][] = [
  ["/v1/chat/completions", { messages }],
  ["/v1/chat/completions", { messages: [{ role: "user", content: "long" }] }],
  ["/v1/completions", { prompt: "hi" }],
  ["/v1/completions", { prompt: "hi", model: "host" }],
  ["/v1/embeddings", { input: "hi", model: "host" }],
  ["/v1/embeddings", { input: "long", model: "host" }],
];

test.each(OPERATIONS)("%s: what the upstream charges is not told", async (path, json) => {
  const answer = JSON.parse(await ask(path, json)) as { usage: object; model: string };
  expect(answer.usage).toEqual(OURS);
  expect(answer.model).not.toBe("their/name");
});

test.each(OPERATIONS.slice(0, 4))("%s: who asks for the cost is told what it is here", async (path, json) => {
  const answer = JSON.parse(await ask(path, { ...json, usage: { include: true } })) as { usage: object };
  expect(answer.usage).toEqual({ ...OURS, cost: COST });
});

const usagesIn = (text: string) =>
  text.split("\n\n").flatMap((frame) => {
    const usage = frame.startsWith("data: {") ? (JSON.parse(frame.slice(6)) as { usage?: object | null }).usage : null;
    return usage ? [usage] : [];
  });

test.each([
  ["/v1/chat/completions", { messages }],
  ["/v1/completions", { prompt: "hi" }],
  ["/v1/completions", { prompt: "hi", model: "host" }],
])("%s as a stream: neither there", async (path, json) => {
  for (const more of [{}, { stream_options: { include_usage: true } }]) {
    expect(usagesIn(await ask(path, { ...json, ...more, stream: true }))).toEqual([OURS]);
  }
  const asked = await ask(path, { ...json, stream: true, usage: { include: true } });
  expect(usagesIn(asked)).toEqual([{ ...OURS, cost: COST }]);
});
