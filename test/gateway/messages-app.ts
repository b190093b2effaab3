import { systemClock } from "../../src/lib/clock.ts";
import { eventsOf } from "../../src/lib/sse.ts";
import { startApp } from "../app.ts";
import { script } from "../e2e/dialect-suite.ts";
import { MemoryBooks } from "../metering/memory-books.ts";
import { fakeAnthropic } from "../upstreams/anthropic.ts";
import { fakeOpenAi } from "../upstreams/openai.ts";

export type Event = { readonly type: string; readonly [field: string]: unknown };

const PRICES = { input_cost_per_token: "0.000001", output_cost_per_token: "0.000002" };

/** The app before a model of Anthropic's and others, with what they were asked. */
export async function startMessages(settings: object = {}) {
  /** Headers and addresses that upstreams have seen. */
  const seen: Request[] = [];
  const noted = (handler: (request: Request) => Promise<Response>) => (request: Request) => {
    seen.push(request.clone() as Request);
    return handler(request);
  };
  const servers = [
    fakeAnthropic(script),
    fakeOpenAi(script),
    fakeOpenAi(script, { reasoningField: "reasoning", lenient: true }),
  ].map((handler) => Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch: noted(handler) }));
  const [claude, gpt, groq] = servers.map(({ port }) => `http://127.0.0.1:${port}`);
  const entry = (name: string, model: string, address = "") => ({
    model_name: name,
    litellm_params: { model, api_base: address, api_key: "upstream-secret-0123456789" },
    model_info: { id: `${name}-id`, ...PRICES },
  });
  const books = new MemoryBooks();
  const app = await startApp(
    JSON.stringify({
      model_list: [
        entry("claude", "anthropic/claude-sonnet-4-5", claude),
        entry("gpt", "openai/gpt-4o", `${gpt}/v1`),
        entry("thinker", "groq/qwen", `${groq}/v1`),
        entry("recaller", "hosted_vllm/qwen", `${groq}/v1`),
        entry("backed", "anthropic/claude-sonnet-4-5", `${claude}/nowhere`),
      ],
      router_settings: { num_retries: 0, disable_cooldowns: true, fallbacks: [{ backed: ["gpt"] }] },
      ...settings,
    }),
    null,
    systemClock,
    { ledger: books },
  );
  const key = app.first.demoKey ?? "";
  const post = (fields: object, headers: Record<string, string> = {}, path = "/v1/messages") =>
    app.call(path, {
      headers: { "x-api-key": key, "anthropic-version": "2023-06-01", ...headers },
      json: bodyOf(fields),
    });
  return {
    app,
    books,
    key,
    seen,
    post,
    async close() {
      await app.close();
      await Promise.all(servers.map((server) => server.stop(true)));
    },
  };
}

export const bodyOf = (fields: object): object => ({
  model: "claude",
  max_tokens: 2000,
  messages: [{ role: "user", content: "hello" }],
  ...fields,
});

export const say = (content: unknown) => ({ messages: [{ role: "user", content }] });

export async function eventsIn(response: Response): Promise<Event[]> {
  const events = eventsOf(await response.text());
  return events.map(({ name, data }) => {
    const event = JSON.parse(data) as Event;
    if (event.type !== name) throw new Error(`an event named ${name} says that it is ${event.type}`);
    return event;
  });
}

/** The texts of the blocks of a stream, by their places. */
export function textsIn(events: readonly Event[]): string[] {
  const texts: string[] = [];
  for (const { type, index, delta } of events) {
    if (type !== "content_block_delta") continue;
    const { text, thinking, partial_json } = delta as Record<string, string | undefined>;
    texts[Number(index)] = (texts[Number(index)] ?? "") + (text ?? thinking ?? partial_json ?? "");
  }
  return texts;
}

export const TOOLS = [
  {
    name: "get_weather",
    description: "Tells the weather of a city.",
    input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
  {
    name: "get_time",
    description: "Tells the time in a zone.",
    input_schema: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
  },
];
