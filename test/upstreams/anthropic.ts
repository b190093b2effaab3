// A fake of Anthropic's Messages interface: as strict about requests as the real one, answers by a script.

import { isRecord } from "../../src/lib/json.ts";
import type { Reply, Script, Seen } from "./script.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The tool by which an answer in JSON is handed over; it is no tool of the caller's. */
const JSON_TOOL = "json_tool_call";

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

const refusal = (message: string): Refusal => new Refusal(400, "invalid_request_error", message);

const FAILURES: Readonly<Record<NonNullable<Reply["failure"]>, readonly [number, string, string]>> = {
  bad_request: [400, "invalid_request_error", "messages: at least one message is required"],
  context_window: [400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"],
  content_policy: [400, "invalid_request_error", "Output blocked by content filtering policy"],
  auth: [401, "authentication_error", "invalid x-api-key"],
  not_found: [404, "not_found_error", "model: claude-unknown"],
  rate_limit: [429, "rate_limit_error", "This request would exceed your organization's rate limit."],
  overloaded: [529, "overloaded_error", "Overloaded"],
  server_error: [500, "api_error", "Internal server error"],
};

export function fakeAnthropic(script: Script): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      const isCount = checkEnvelope(request);
      const body = await readBody(request, isCount);
      if (isCount) return Response.json({ input_tokens: Math.ceil(JSON.stringify(body).length / 4) });
      const reply = script.reply(look(body));
      if (reply.failure !== undefined) throw new Refusal(...FAILURES[reply.failure]);
      const message = toMessage(body, reply);
      return body.stream === true ? streamResponse(message, reply) : Response.json(message, { headers: HEADERS });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const retry: Record<string, string> = error.status === 429 ? { "retry-after": "3" } : {};
      return Response.json(errorBody(error), { status: error.status, headers: { ...HEADERS, ...retry } });
    }
  };
}

const HEADERS = { "request-id": "req_011CSHoEeqs5C35K2UUqR7Fy" };

const errorBody = ({ type, message }: { type: string; message: string }) => ({
  type: "error",
  error: { type, message },
  request_id: HEADERS["request-id"],
});

/** Path, method and headers; true when tokens are only to be counted. */
function checkEnvelope(request: Request): boolean {
  const { pathname } = new URL(request.url);
  const isCount = pathname === "/v1/messages/count_tokens";
  if (!isCount && pathname !== "/v1/messages") throw new Refusal(404, "not_found_error", "Not found");
  if (request.method !== "POST") throw new Refusal(405, "invalid_request_error", "Method Not Allowed");
  const hasToken = /^Bearer \S+$/.test(request.headers.get("authorization") ?? "");
  if (!request.headers.get("x-api-key") && !hasToken) {
    throw new Refusal(401, "authentication_error", "x-api-key header is required");
  }
  if (request.headers.get("anthropic-version") !== "2023-06-01") throw refusal("anthropic-version: header is required");
  return isCount;
}

const COUNTED = "model messages system tools tool_choice thinking output_config".split(" ");
const KNOWN = new Set([
  ...COUNTED,
  ..."max_tokens metadata service_tier stop_sequences stream temperature top_k top_p container context_management".split(
    " ",
  ),
]);

async function readBody(request: Request, isCount: boolean): Promise<Fields> {
  const body: unknown = await request.json().catch(() => {
    throw refusal("The request body is not valid JSON");
  });
  if (!isRecord(body)) throw refusal("The request body is not an object");
  const known = isCount ? new Set(COUNTED) : KNOWN;
  for (const name of Object.keys(body)) if (!known.has(name)) throw refusal(`${name}: Extra inputs are not permitted`);
  if (typeof body.model !== "string" || body.model === "") throw refusal("model: Field required");
  if (!isCount && !isWhole(body.max_tokens, 1)) throw refusal("max_tokens: Field required");
  checkSettings(body);
  checkTools(body);
  checkMessages(body, request.headers.get("anthropic-beta")?.includes("mid-conversation-system") ?? false);
  return body;
}

const isWhole = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= least;

function checkSettings(body: Fields): void {
  const { temperature, stop_sequences: stops, thinking, system, metadata } = body;
  if (temperature !== undefined && !(typeof temperature === "number" && temperature >= 0 && temperature <= 1)) {
    throw refusal("temperature: range: 0..1");
  }
  for (const stop of list(stops)) {
    if (typeof stop !== "string" || stop.trim() === "")
      throw refusal("stop_sequences: each must contain non-whitespace");
  }
  if (Array.isArray(system)) checkBlocks(system, "system", new Set(["text"]));
  else if (system !== undefined && typeof system !== "string") throw refusal("system: Input should be a valid string");
  if (metadata !== undefined && !(isRecord(metadata) && typeof metadata.user_id === "string"))
    throw refusal("metadata.user_id");
  if (isRecord(thinking) && thinking.type === "enabled") checkBudget(body, thinking);
}

function checkBudget(body: Fields, thinking: Fields): void {
  if (!isWhole(thinking.budget_tokens, 1024)) throw refusal("thinking.budget_tokens: greater than or equal to 1024");
  if (isWhole(body.max_tokens, 1) && body.max_tokens <= thinking.budget_tokens) {
    throw refusal("`max_tokens` must be greater than `thinking.budget_tokens`");
  }
  if ((body.temperature ?? 1) !== 1) throw refusal("`temperature` may only be set to 1 when thinking is enabled");
  if (isRecord(body.tool_choice) && /^(?:any|tool)$/.test(String(body.tool_choice.type))) {
    throw refusal("Thinking may not be enabled when tool_choice forces tool use.");
  }
}

function checkTools(body: Fields): void {
  const tools = list(body.tools);
  for (const [position, tool] of tools.entries()) {
    const at = `tools.${position}`;
    if (!isRecord(tool) || !/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool.name))) throw refusal(`${at}.name: invalid`);
    const isOwn = tool.type === undefined || tool.type === "custom";
    if (!isOwn) continue;
    if (!isRecord(tool.input_schema) || tool.input_schema.type !== "object")
      throw refusal(`${at}.input_schema.type: required`);
    for (const name of Object.keys(tool)) {
      if (!/^(?:name|description|input_schema|input_examples|cache_control|type)$/.test(name))
        throw refusal(`${at}.${name}: Extra inputs`);
    }
  }
  const names = tools.map((tool) => (isRecord(tool) ? tool.name : null));
  if (new Set(names).size < names.length) throw refusal("tools: Tool names must be unique.");
  const choice = body.tool_choice;
  if (choice === undefined) return;
  if (tools.length === 0) throw refusal("tool_choice may only be specified while providing tools");
  if (!isRecord(choice) || !/^(?:auto|any|tool|none)$/.test(String(choice.type))) throw refusal("tool_choice: invalid");
  if (isRecord(choice) && choice.type === "tool" && !names.includes(choice.name))
    throw refusal("Tool not found in tools");
}

const USER_BLOCKS = new Set(["text", "image", "document", "search_result", "tool_result"]);
const ASSISTANT_BLOCKS = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);

function checkMessages(body: Fields, takesSystem: boolean): void {
  const isSystem = (turn: unknown) => isRecord(turn) && turn.role === "system";
  const turns = list(body.messages).filter((turn) => !takesSystem || !isSystem(turn));
  if (turns.length === 0) throw refusal("messages: at least one message is required");
  let open: unknown[] = [];
  for (const [position, turn] of turns.entries()) {
    const at = `messages.${position}`;
    if (!isRecord(turn)) throw refusal(`${at}: Input should be an object`);
    const isUser = turn.role === "user";
    if (!isUser && turn.role !== "assistant") throw refusal(`${at}.role: Input should be 'user' or 'assistant'`);
    if (isUser !== (position % 2 === 0)) throw refusal("messages: roles must alternate, and the first must be user");
    const blocks = blocksOf(turn.content);
    if (blocks.length === 0) throw refusal(`${at}: all messages must have non-empty content`);
    checkBlocks(blocks, at, isUser ? USER_BLOCKS : ASSISTANT_BLOCKS);
    checkResults(blocks, open, at);
    open = blocks.flatMap((block) => (isRecord(block) && block.type === "tool_use" ? [block.id] : []));
    if (open.length > 0 && list(body.tools).length === 0)
      throw refusal("Requests which include `tool_use` must define tools");
  }
}

/** Every call is answered in the next turn, before anything else is said. */
function checkResults(blocks: readonly unknown[], open: readonly unknown[], at: string): void {
  const types = blocks.map((block) => (isRecord(block) ? block.type : null));
  const count = types.filter((type) => type === "tool_result").length;
  if (types.slice(0, count).some((type) => type !== "tool_result"))
    throw refusal(`${at}: tool_result blocks must come first`);
  const answered = blocks.slice(0, count).map((block) => (isRecord(block) ? block.tool_use_id : null));
  if (open.some((id) => !answered.includes(id)))
    throw refusal(`${at}: \`tool_use\` ids were found without \`tool_result\``);
  if (answered.some((id) => !open.includes(id)))
    throw refusal(`${at}: unexpected \`tool_use_id\` found in \`tool_result\``);
}

function checkBlocks(blocks: readonly unknown[], at: string, allowed: ReadonlySet<unknown>): void {
  for (const [position, block] of blocks.entries()) {
    const where = `${at}.content.${position}`;
    if (!isRecord(block) || !allowed.has(block.type)) throw refusal(`${where}.type: not allowed here`);
    if (block.type === "text" && (typeof block.text !== "string" || block.text.trim() === "")) {
      throw refusal(`${where}: text content blocks must contain non-whitespace text`);
    }
    if (block.type === "image" || block.type === "document") checkSource(block.source, where);
    if (block.type === "thinking" && typeof block.signature !== "string")
      throw refusal(`${where}.signature: Field required`);
    if (block.type === "tool_use" && !isRecord(block.input)) throw refusal(`${where}.input: Input should be an object`);
    if (/^tool_/.test(String(block.type)) && !/^[\w-]+$/.test(String(block.id ?? block.tool_use_id)))
      throw refusal(where);
    if (block.type === "tool_result")
      checkBlocks(blocksOf(block.content), where, new Set(["text", "image", "document"]));
  }
}

const MEDIA = /^(?:image\/(?:jpeg|png|gif|webp)|application\/pdf)$/;

function checkSource(source: unknown, at: string): void {
  if (!isRecord(source)) throw refusal(`${at}.source: Field required`);
  const isGood =
    (source.type === "base64" && MEDIA.test(String(source.media_type)) && typeof source.data === "string") ||
    (source.type === "url" && /^https?:/.test(String(source.url))) ||
    (source.type === "text" && source.media_type === "text/plain" && typeof source.data === "string") ||
    (source.type === "file" && typeof source.file_id === "string");
  if (!isGood) throw refusal(`${at}.source: invalid`);
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const blocksOf = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : list(content);
const ofType = (blocks: readonly unknown[], type: string): Fields[] =>
  blocks.filter((block): block is Fields => isRecord(block) && block.type === type);
const textOf = (content: unknown): string =>
  ofType(blocksOf(content), "text")
    .map(({ text }) => String(text))
    .join("\n");

function look(body: Fields): Seen {
  const turns = list(body.messages).filter(isRecord);
  const results = turns.flatMap(({ content }) => ofType(blocksOf(content), "tool_result"));
  const shown = [...turns, ...results].flatMap(({ content }) => ofType(blocksOf(content), "image"));
  const names = list(body.tools).flatMap((tool) => (isRecord(tool) ? [String(tool.name)] : []));
  return {
    model: String(body.model),
    userText: textOf(turns.findLast(({ role }) => role === "user")?.content),
    systemText: textOf(body.system),
    tools: names.filter((name) => name !== JSON_TOOL),
    toolResults: results.map(({ content }) => textOf(content)),
    images: shown.length,
    stream: body.stream === true,
    body,
  };
}

interface WireMessage extends Fields {
  readonly content: readonly Fields[];
  readonly stop_reason: string;
  readonly usage: Fields;
}

const STOP_REASONS = { stop: "end_turn", length: "max_tokens", content_filter: "refusal" } as const;
let calls = 0;

function toMessage(body: Fields, reply: Reply): WireMessage {
  const toolUse = (name: string, input: unknown): Fields => ({ type: "tool_use", id: `toolu_${++calls}`, name, input });
  const asTool = reply.toolCalls === undefined && isForcedToJson(body);
  const content: Fields[] = [
    ...(reply.reasoning ? [{ type: "thinking", thinking: reply.reasoning, signature: "c2lnbmVk" }] : []),
    ...(reply.text && !asTool ? [{ type: "text", text: reply.text }] : []),
    ...(reply.text && asTool ? [toolUse(JSON_TOOL, JSON.parse(reply.text))] : []),
    ...(reply.toolCalls ?? []).map((call) => toolUse(call.name, call.arguments)),
  ];
  const called = content.some(({ type }) => type === "tool_use");
  return {
    id: `msg_${++calls}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content,
    stop_reason: called && !reply.finish ? "tool_use" : STOP_REASONS[reply.finish ?? "stop"],
    stop_sequence: null,
    usage: wireUsage(reply),
  };
}

const isForcedToJson = ({ tools, tool_choice: choice }: Fields): boolean =>
  list(tools).some((tool) => isRecord(tool) && tool.name === JSON_TOOL) && isRecord(choice) && choice.type !== "auto";

function wireUsage({ usage = { input: 10, output: 5 } }: Reply): Fields {
  const cached = (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
  return {
    // The script's input is the whole prompt; Anthropic counts what went through the cache apart.
    input_tokens: Math.max(usage.input - cached, 0),
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    output_tokens: usage.output,
    ...(usage.reasoning !== undefined && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
    service_tier: "standard",
  };
}

function streamResponse(message: WireMessage, { cutAfter, errorAfter }: Reply): Response {
  const whole = messageEvents(message);
  const error = errorBody({ type: "overloaded_error", message: "Overloaded" });
  const events = errorAfter === undefined ? whole.slice(0, cutAfter) : [...whole.slice(0, errorAfter), error];
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(text.join(""), { headers: { ...HEADERS, "content-type": "text/event-stream; charset=utf-8" } });
}

function messageEvents(message: WireMessage): Fields[] {
  const { output_tokens, output_tokens_details, ...input } = message.usage;
  const start = { ...message, content: [], stop_reason: null, usage: { ...input, output_tokens: 1 } };
  return [
    { type: "message_start", message: start },
    { type: "ping" },
    ...message.content.flatMap((block, index) => blockEvents(block, index)),
    {
      type: "message_delta",
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens, ...(output_tokens_details !== undefined && { output_tokens_details }) },
    },
    { type: "message_stop" },
  ];
}

function blockEvents(block: Fields, index: number): Fields[] {
  const delta = (fields: Fields): Fields => ({ type: "content_block_delta", index, delta: fields });
  const pieces = (text: string) => text.match(/.{1,8}/gsu) ?? [];
  const grown: Readonly<Record<string, () => [Fields, Fields[]]>> = {
    text: () => [{ text: "" }, pieces(String(block.text)).map((text) => delta({ type: "text_delta", text }))],
    thinking: () => [
      { thinking: "", signature: "" },
      [
        ...pieces(String(block.thinking)).map((thinking) => delta({ type: "thinking_delta", thinking })),
        delta({ type: "signature_delta", signature: block.signature }),
      ],
    ],
    tool_use: () => [
      { input: {} },
      // Without parameters there is one empty piece and nothing more, as the real interface does it.
      ["", ...(JSON.stringify(block.input) === "{}" ? [] : pieces(JSON.stringify(block.input)))].map((partial_json) =>
        delta({ type: "input_json_delta", partial_json }),
      ),
    ],
  };
  const [empty, deltas] = grown[String(block.type)]?.() ?? [{}, []];
  return [
    { type: "content_block_start", index, content_block: { ...block, ...empty } },
    ...deltas,
    { type: "content_block_stop", index },
  ];
}
