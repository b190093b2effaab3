import { systemClock } from "../../src/lib/clock.ts";
import { eventsOf } from "../../src/lib/sse.ts";
import { startApp } from "../app.ts";
import { script } from "../e2e/dialect-suite.ts";
import { MemoryBooks } from "../metering/memory-books.ts";
import { fakeAnthropic } from "../upstreams/anthropic.ts";
import { fakeGemini } from "../upstreams/gemini.ts";
import { fakeOpenAi } from "../upstreams/openai.ts";

export type Fields = Record<string, unknown>;
export interface Generated {
  readonly candidates: {
    readonly content: { readonly parts: Fields[]; readonly role: string };
    readonly finishReason?: string;
    readonly index: number;
    readonly [field: string]: unknown;
  }[];
  readonly usageMetadata?: Fields;
  readonly modelVersion: string;
  readonly responseId: string;
  readonly error?: { readonly code: number; readonly message: string; readonly status: string };
}

const PRICES = { input_cost_per_token: "0.000001", output_cost_per_token: "0.000002" };

/** The app before models of Google's and of others, with what they were asked. */
export async function startGoogle(settings: object = {}) {
  const servers = [fakeGemini(script), fakeOpenAi(script), fakeAnthropic(script)].map((fetch) =>
    Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch }),
  );
  const [gemini, gpt, claude] = servers.map(({ port }) => `http://127.0.0.1:${port}`);
  const entry = (name: string, model: string, address = "") => ({
    model_name: name,
    litellm_params: { model, ...(address && { api_base: address }), api_key: "upstream-secret-0123456789" },
    model_info: { id: `${name}-id`, ...PRICES },
  });
  const books = new MemoryBooks();
  const app = await startApp(
    JSON.stringify({
      model_list: [
        entry("gemini", "gemini/gemini-2.5-flash", gemini),
        entry("gemini-3", "gemini/gemini-3-pro-preview", gemini),
        entry("gpt", "openai/gpt-4o", `${gpt}/v1`),
        entry("claude", "anthropic/claude-sonnet-4-5", claude),
        entry("openai/gpt:8b", "openai/gpt-4o", `${gpt}/v1`),
        entry("backed", "gemini/gemini-2.5-flash", `${gemini}/nowhere`),
        entry("echo", "echo/chat"),
        { model_name: "slow", litellm_params: { model: "echo/chat", echo_fault: { token_delay_ms: 20 } } },
      ],
      router_settings: { num_retries: 0, disable_cooldowns: true, fallbacks: [{ backed: ["gpt"] }] },
      ...settings,
    }),
    null,
    systemClock,
    { ledger: books },
  );
  const key = app.first.demoKey ?? "";
  /** `action` stands behind the model in the path. */
  const post = (model: string, fields: object, action = "generateContent", headers: Record<string, string> = {}) =>
    app.call(`/v1beta/models/${model}:${action}`, {
      headers: { "x-goog-api-key": key, ...headers },
      json: { ...say("hello"), ...fields },
    });
  const answer = async (model: string, fields: object): Promise<Generated> => {
    const response = await post(model, fields);
    const body = (await response.json()) as Generated;
    if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(body)}`);
    return body;
  };
  const streamed = async (model: string, fields: object): Promise<Generated[]> => {
    const response = await post(model, fields, "streamGenerateContent?alt=sse");
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    return eventsOf(text).map(({ data }) => JSON.parse(data) as Generated);
  };
  /** What the model was asked last, as its upstream got it. */
  const asked = (): Fields => script.seen.at(-1)?.body ?? {};
  return {
    app,
    books,
    key,
    post,
    answer,
    streamed,
    asked,
    async close() {
      await app.close();
      await Promise.all(servers.map((server) => server.stop(true)));
    },
  };
}

export const say = (text: string) => ({ contents: [{ role: "user", parts: [{ text }] }] });

/** All parts of a stream, as a client has them. */
export const partsIn = (pieces: readonly Generated[]): Fields[] =>
  pieces.flatMap(({ candidates }) => candidates.flatMap(({ content }) => content.parts));

export const textIn = (pieces: readonly Generated[]): string =>
  partsIn(pieces)
    .filter(({ thought }) => thought !== true)
    .map(({ text }) => text ?? "")
    .join("");

export const TOOLS = [
  {
    functionDeclarations: [
      {
        name: "get_weather",
        description: "Tells the weather of a city.",
        parameters: { type: "OBJECT", properties: { city: { type: "STRING" } }, required: ["city"] },
      },
      {
        name: "get_time",
        description: "Tells the time in a zone.",
        parametersJsonSchema: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
      },
    ],
  },
];
