// A fake of version 2 of Cohere's interface: as strict about requests as the real one, answers by a script.

import { isRecord } from "../../src/lib/json.ts";
import type { Reply, Script, Seen } from "./script.ts";

type Fields = Readonly<Record<string, unknown>>;

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const refusal = (message: string): Refusal => new Refusal(400, `invalid request: ${message}`);

const FAILURES: Readonly<Record<NonNullable<Reply["failure"]>, readonly [number, string]>> = {
  bad_request: [400, "invalid request: all elements in history must have a message."],
  context_window: [400, "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs."],
  content_policy: [498, "the request or response contains a deny-listed token"],
  auth: [401, "invalid api token"],
  not_found: [404, "model 'xyz' not found, make sure the correct model ID was used and that you have access to it."],
  rate_limit: [429, "You are past the per minute request limit, please wait and try again later."],
  overloaded: [503, "service unavailable"],
  server_error: [500, "internal server error, this has been reported to our developers"],
};

export function fakeCohere(script: Script): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      const path = checkEnvelope(request);
      const body = await readBody(request);
      if (path === "/v2/embed") return embed(body);
      if (path === "/v2/rerank") return rerank(body);
      return chat(body, script);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return Response.json({ id: crypto.randomUUID(), message: error.message }, { status: error.status });
    }
  };
}

function checkEnvelope(request: Request): string {
  const { pathname } = new URL(request.url);
  if (!/^\/v2\/(?:chat|embed|rerank)$/.test(pathname)) throw new Refusal(404, "404 page not found");
  if (request.method !== "POST") throw new Refusal(405, "method not allowed");
  if (!/^Bearer \S+$/i.test(request.headers.get("authorization") ?? "")) throw new Refusal(401, "no api key supplied");
  return pathname;
}

async function readBody(request: Request): Promise<Fields> {
  const body: unknown = await request.json().catch(() => {
    throw new Refusal(400, "invalid json syntax");
  });
  if (!isRecord(body)) throw new Refusal(422, "the body is not an object");
  if (typeof body.model !== "string" || body.model === "") {
    throw new Refusal(400, "a model parameter is required for this endpoint.");
  }
  return body;
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function checkKnown(body: Fields, names: string): void {
  const known = new Set(names.split(/\s+/));
  for (const name of Object.keys(body)) if (!known.has(name)) throw new Refusal(422, `unknown field: ${name}`);
}

// Embeddings and reranking

function embed(body: Fields): Response {
  checkKnown(
    body,
    "model texts images inputs input_type max_tokens output_dimension embedding_types truncate priority",
  );
  if (typeof body.input_type !== "string") throw refusal("valid input_type must be provided with the provided model");
  const texts = list(body.texts).map(String);
  if (texts.length === 0) throw refusal("texts must not be empty");
  if (texts.length > 96) throw refusal(`total number of texts must be at most 96 - received ${texts.length}`);
  const types = list(body.embedding_types ?? ["float"]).map(String);
  const vectors = texts.map((text, index) => [index, text.length, 1]);
  const words = texts.reduce((sum, text) => sum + text.split(/\s+/).length, 0);
  return Response.json({
    id: crypto.randomUUID(),
    embeddings: Object.fromEntries(types.map((type) => [type, vectors])),
    texts,
    meta: { api_version: { version: "2" }, billed_units: { input_tokens: words } },
    response_type: "embeddings_by_type",
  });
}

/** The earlier a document stands, the better it fits. */
function rerank(body: Fields): Response {
  checkKnown(body, "model query documents top_n max_tokens_per_doc priority");
  if (typeof body.query !== "string" || body.query.trim() === "") throw refusal("query must not be empty");
  const documents = list(body.documents);
  if (documents.length === 0) throw refusal("list of documents must not be empty");
  if (!documents.every((document) => typeof document === "string")) throw refusal("documents must be strings");
  const results = documents.map((_document, index) => ({ index, relevance_score: 1 / (index + 1) }));
  return Response.json({
    id: crypto.randomUUID(),
    results: results.slice(0, typeof body.top_n === "number" ? body.top_n : undefined),
    meta: { api_version: { version: "2" }, billed_units: { search_units: 1 } },
  });
}

// Chat

const CHAT_FIELDS = `model messages stream tools strict_tools documents citation_options response_format safety_mode max_tokens
  stop_sequences temperature seed frequency_penalty presence_penalty k p logprobs tool_choice thinking priority`;

function chat(body: Fields, script: Script): Response {
  checkKnown(body, CHAT_FIELDS);
  checkSettings(body);
  checkTools(body);
  checkMessages(list(body.messages));
  const reply = script.reply(look(body));
  if (reply.failure !== undefined) throw new Refusal(...FAILURES[reply.failure]);
  const answer = toAnswer(reply);
  return body.stream === true ? streamResponse(answer, reply) : Response.json(answer);
}

function checkSettings(body: Fields): void {
  const ranges = [
    ["temperature", 0, 1],
    ["p", 0.01, 0.99],
    ["k", 0, 500],
    ["frequency_penalty", 0, 1],
    ["presence_penalty", 0, 1],
  ] as const;
  for (const [name, least, most] of ranges) {
    const value = body[name];
    const isGood = value === undefined || (typeof value === "number" && value >= least && value <= most);
    if (!isGood) throw refusal(`${name} must be between ${least} and ${most} inclusive.`);
  }
  if (list(body.stop_sequences).length > 5) throw refusal("at most 5 stop sequences are allowed");
  if (body.thinking !== undefined) {
    const type = isRecord(body.thinking) ? body.thinking.type : null;
    if (type !== "enabled" && type !== "disabled") throw refusal("thinking.type must be enabled or disabled");
  }
  const format = body.response_format;
  if (format === undefined) return;
  if (!isRecord(format) || !/^(?:text|json_object)$/.test(String(format.type))) throw refusal("response_format.type");
  if (format.json_schema !== undefined && !isRecord(format.json_schema)) throw refusal("schema must be an object");
  if (body.tools !== undefined || body.documents !== undefined)
    throw refusal("response_format is not supported with RAG.");
}

function checkTools(body: Fields): void {
  const tools = list(body.tools);
  for (const tool of tools) {
    const offered = isRecord(tool) && tool.type === "function" ? tool.function : null;
    if (!isRecord(offered)) throw refusal("tool must be of type function");
    if (!/^[A-Za-z_][\w-]*$/.test(String(offered.name))) {
      throw refusal(`tool names can only contain certain characters (provided name: '${String(offered.name)}').`);
    }
    if (!isRecord(offered.parameters)) throw refusal("tool parameters must be a JSON schema");
    checkTool(offered);
  }
  const choice = body.tool_choice;
  if (choice === undefined) return;
  if (choice !== "REQUIRED" && choice !== "NONE") throw refusal("tool_choice must be REQUIRED or NONE");
  if (tools.length === 0) throw refusal("tool_choice needs tools");
}

function checkTool(offered: Fields): void {
  for (const name of Object.keys(offered)) {
    if (!/^(?:name|description|parameters)$/.test(name))
      throw new Refusal(422, `unknown field: tools.function.${name}`);
  }
}

function checkMessages(messages: readonly unknown[]): void {
  if (messages.length === 0) throw refusal("messages must not be empty");
  const called = new Set<unknown>();
  for (const [position, message] of messages.entries()) {
    if (!isRecord(message)) throw refusal("message must be an object");
    switch (message.role) {
      case "system":
        if (position > 0) throw new Refusal(400, "system turn must be the first in the list");
        checkContent(message, ["text"]);
        break;
      case "user":
        checkContent(message, ["text", "image_url"]);
        break;
      case "assistant":
        checkAssistant(message, called);
        break;
      case "tool":
        if (typeof message.tool_call_id !== "string") throw refusal("tool call id must be provided with tool message");
        if (!called.has(message.tool_call_id)) throw refusal("tool call id not found in previous tool calls");
        if (typeof message.content !== "string") checkContent(message, ["text", "document"]);
        break;
      default:
        throw refusal(`invalid role at index ${position}`);
    }
  }
}

function checkAssistant(message: Fields, called: Set<unknown>): void {
  const calls = list(message.tool_calls);
  if (calls.length === 0) checkContent(message, ["text", "thinking"]);
  for (const call of calls) {
    const made = isRecord(call) && call.type === "function" ? call.function : null;
    if (!isRecord(call) || !isRecord(made)) throw refusal("tool call must be of type function");
    if (typeof made.arguments !== "string") throw refusal("tool call arguments must be a string");
    if (called.has(call.id)) throw refusal("cannot have duplicate tool ids");
    called.add(call.id);
  }
}

function checkContent({ content }: Fields, types: readonly string[]): void {
  const blocks = blocksOf(content);
  if (blocks.length === 0 || content === "") throw refusal("message must not be empty in a turn");
  for (const block of blocks) {
    if (!types.includes(String(block.type))) throw refusal(`content of type ${String(block.type)} is not allowed here`);
    if (block.type !== "image_url") continue;
    const url = isRecord(block.image_url) ? block.image_url.url : null;
    if (!/^(?:https?:|data:image\/)/.test(String(url))) throw refusal("image_url.url must be an address or a data URI");
  }
}

const blocksOf = (content: unknown): readonly Fields[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : list(content).filter(isRecord);

const textOf = (content: unknown): string =>
  blocksOf(content)
    .flatMap(({ type, text }) => (type === "text" ? [String(text)] : []))
    .join("\n");

function look(body: Fields): Seen {
  const messages = list(body.messages).filter(isRecord);
  const ofRole = (wanted: string) => messages.filter(({ role }) => role === wanted);
  return {
    model: String(body.model),
    userText: textOf(ofRole("user").at(-1)?.content),
    systemText: textOf(ofRole("system")[0]?.content),
    tools: list(body.tools).flatMap((tool) =>
      isRecord(tool) && isRecord(tool.function) ? [String(tool.function.name)] : [],
    ),
    toolResults: ofRole("tool").map(({ content }) => textOf(content)),
    images: messages.flatMap(({ content }) => blocksOf(content)).filter(({ type }) => type === "image_url").length,
    stream: body.stream === true,
    body,
  };
}

const FINISH_REASONS = { stop: "COMPLETE", length: "MAX_TOKENS", content_filter: "ERROR_TOXIC" } as const;

interface Answer extends Fields {
  readonly id: string;
  readonly message: { readonly content: readonly Fields[]; readonly tool_calls?: readonly Fields[] };
  readonly finish_reason: string;
  readonly usage: Fields;
}

function toAnswer(reply: Reply): Answer {
  const { text, reasoning, toolCalls = [], finish, usage = { input: 10, output: 5 } } = reply;
  const calls = toolCalls.map((call) => ({
    id: `${call.name}_${crypto.randomUUID().slice(0, 12)}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  return {
    id: crypto.randomUUID(),
    message: {
      role: "assistant",
      content: [
        ...(reasoning ? [{ type: "thinking", thinking: reasoning }] : []),
        ...(text ? [{ type: "text", text }] : []),
      ],
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    } as Answer["message"],
    finish_reason: calls.length > 0 && !finish ? "TOOL_CALL" : FINISH_REASONS[finish ?? "stop"],
    usage: {
      billed_units: { input_tokens: usage.input, output_tokens: usage.output },
      tokens: { input_tokens: usage.input, output_tokens: usage.output },
      ...(usage.cacheRead === undefined ? {} : { cached_tokens: usage.cacheRead }),
    },
  };
}

function streamResponse(answer: Answer, { cutAfter, errorAfter }: Reply): Response {
  const whole = answerEvents(answer);
  const failed = { type: "message-end", delta: { finish_reason: "ERROR", error: "the generation failed" } };
  const events = errorAfter === undefined ? whole.slice(0, cutAfter) : [...whole.slice(0, errorAfter), failed];
  const text = events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
}

const pieces = (text: string): readonly string[] => text.match(/.{1,8}/gsu) ?? [];

function answerEvents({ id, message, finish_reason, usage }: Answer): Fields[] {
  return [
    {
      type: "message-start",
      id,
      delta: { message: { role: "assistant", content: [], tool_plan: "", tool_calls: [] } },
    },
    ...message.content.flatMap(contentEvents),
    ...list(message.tool_calls).filter(isRecord).flatMap(callEvents),
    { type: "message-end", delta: { finish_reason, usage } },
  ];
}

function contentEvents(block: Fields, index: number): Fields[] {
  const field = String(block.type);
  const event = (type: string, content: Fields): Fields => ({ type, index, delta: { message: { content } } });
  return [
    event("content-start", { type: field, [field]: "" }),
    ...pieces(String(block[field])).map((piece) => event("content-delta", { [field]: piece })),
    { type: "content-end", index },
  ];
}

function callEvents(call: Fields, index: number): Fields[] {
  const made = isRecord(call.function) ? call.function : {};
  const event = (type: string, tool_calls: Fields): Fields => ({ type, index, delta: { message: { tool_calls } } });
  return [
    event("tool-call-start", { ...call, function: { ...made, arguments: "" } }),
    ...pieces(String(made.arguments)).map((piece) => event("tool-call-delta", { function: { arguments: piece } })),
    { type: "tool-call-end", index },
  ];
}
