import { isNightly } from "../property-runs.ts";

/** In each test as many concurrent calls as one client can send before the first is charged. */
export const CALLS = isNightly ? 120 : 24;
const CREDIT_USD = 0.1;
/** In nano-USD: each part of a charge is rounded up to a whole one. */
export const ROUNDING = 4 * 120;
const LATENCY_MS = 300;

/** An honest provider, which keeps to `max_tokens`. All test files of a process share it. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const body = (await request.json()) as { user: string; max_tokens?: number; max_completion_tokens?: number };
    const [prompt = 0, completion = 0] = body.user.split(" ").map(Number);
    const limit = body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY;
    await Bun.sleep(LATENCY_MS);
    return Response.json({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }],
      usage: { prompt_tokens: prompt, completion_tokens: Math.min(completion, limit) },
    });
  },
});
upstream.unref();

const MODEL_INFO = { input_cost_per_token: 0.000001, output_cost_per_token: 0.000002, max_input_tokens: 250_000 };
const deployment = (name: string, model: string) => ({
  model_name: name,
  litellm_params: { model, api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "sk-x" },
  model_info: MODEL_INFO,
});
export const CONFIG = {
  model_list: [deployment("priced", "hosted_vllm/m"), deployment("images", "hosted_vllm/gpt-4o-mini")],
  general_settings: { signup_credits: CREDIT_USD, log_level: "error", max_event_loop_delay: 0 },
};

const PROSE = "The quick brown fox jumps over the lazy dog and then rests for a while. ".repeat(2_800);
const RARE = "\u{2a6a5}\u{2a6a4}\u{2a6a3}".repeat(3_300);
const IMAGE = "data:image/png;base64,iVBORw0KGgo=";
const user = (...parts: object[]) => [{ role: "user", content: parts }];
const text = { type: "text", text: "x" };

export interface Shape {
  readonly name: string;
  /** The count of the provider. */
  readonly tokens: readonly [prompt: number, completion: number];
  /** The most calls that the credit pays for. */
  readonly paidCalls: number;
  readonly fields: object;
}

export const SHAPES: readonly Shape[] = [
  {
    name: "a large PDF at an address",
    tokens: [200_000, 1],
    paidCalls: 0,
    fields: { messages: user({ type: "file", file: { file_url: "https://example.com/book.pdf" } }, text) },
  },
  {
    name: "a video at an address",
    tokens: [100_000, 1],
    paidCalls: 0,
    fields: { messages: user({ type: "video_url", video_url: { url: "https://example.com/film.mp4" } }, text) },
  },
  {
    name: "four images in high detail",
    tokens: [4 * 25_501, 1],
    paidCalls: 0,
    fields: {
      model: "images",
      messages: user(...Array(4).fill({ type: "image_url", image_url: { url: IMAGE, detail: "high" } }), text),
    },
  },
  {
    name: "functions",
    tokens: [45_000, 1],
    paidCalls: 2,
    fields: { functions: [{ name: "f", description: PROSE, parameters: {} }], messages: user(text) },
  },
  {
    name: "a response schema",
    tokens: [45_000, 1],
    paidCalls: 2,
    fields: {
      response_format: { type: "json_schema", json_schema: { name: "s", schema: { description: PROSE } } },
      messages: user(text),
    },
  },
  { name: "rare characters", tokens: [39_600, 1], paidCalls: 2, fields: { messages: user({ ...text, text: RARE }) } },
  {
    name: "long responses",
    tokens: [10, 100_000],
    paidCalls: 1,
    fields: { max_tokens: 100_000, messages: user(text) },
  },
  {
    name: "tools",
    tokens: [45_000, 1],
    paidCalls: 2,
    fields: {
      tools: [{ type: "function", function: { name: "f", description: PROSE, parameters: {} } }],
      messages: user(text),
    },
  },
];
