// A fake of Ollama's own interface: as strict about requests as the real one, answers by a script.

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

/** Ollama has no content policy of its own; a hosted model behind it may refuse in its own words. */
const FAILURES: Readonly<Record<NonNullable<Reply["failure"]>, readonly [number, string]>> = {
  bad_request: [400, "json: cannot unmarshal string into Go struct field ChatRequest.messages of type []api.Message"],
  context_window: [400, "the input length exceeds the context length"],
  content_policy: [400, "the request was refused by the content filtering policy"],
  auth: [401, "unauthorized"],
  not_found: [404, 'model "xyz" not found, try pulling it first'],
  rate_limit: [429, "you've reached your hourly usage limit"],
  overloaded: [503, "server busy, please try again. maximum pending requests exceeded"],
  server_error: [500, "llama runner process has terminated: exit status 2"],
};

export function fakeOllama(script: Script): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      const { pathname } = new URL(request.url);
      if (pathname !== "/api/chat" && pathname !== "/api/embed")
        return new Response("404 page not found", { status: 404 });
      if (request.method !== "POST") return new Response("405 method not allowed", { status: 405 });
      const body = await readBody(request);
      return pathname === "/api/embed" ? embed(body) : chat(body, script);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return Response.json({ error: error.message }, { status: error.status });
    }
  };
}

async function readBody(request: Request): Promise<Fields> {
  const body: unknown = await request.json().catch(() => {
    throw new Refusal(400, "missing request body");
  });
  if (!isRecord(body)) throw mistyped("body", "api.ChatRequest");
  if (typeof body.model !== "string" || body.model === "") throw new Refusal(400, "model is required");
  if (body.options !== undefined && !isRecord(body.options)) throw mistyped("options", "map[string]interface {}");
  return body;
}

const mistyped = (field: string, type: string): Refusal =>
  new Refusal(400, `json: cannot unmarshal into Go struct field ChatRequest.${field} of type ${type}`);

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function embed(body: Fields): Response {
  const texts = typeof body.input === "string" ? [body.input] : list(body.input);
  if (!texts.every((text) => typeof text === "string")) throw new Refusal(400, "invalid input type");
  return Response.json({
    model: body.model,
    embeddings: texts.map((text, index) => [index, text.length, 1]),
    total_duration: 14143917,
    load_duration: 1019500,
    prompt_eval_count: texts.reduce((sum, text) => sum + text.split(/\s+/).length, 0),
  });
}

function chat(body: Fields, script: Script): Response {
  checkSettings(body);
  for (const tool of list(body.tools)) checkTool(tool);
  for (const message of list(body.messages)) checkMessage(message);
  const reply = script.reply(look(body));
  if (reply.failure !== undefined) throw new Refusal(...FAILURES[reply.failure]);
  // Unlike elsewhere, answers are streamed unless the request says no.
  return body.stream === false ? Response.json(wholeLine(body, reply)) : streamResponse(body, reply);
}

function checkSettings({ stream, think, format, messages, top_logprobs: top }: Fields): void {
  if (!Array.isArray(messages)) throw mistyped("messages", "[]api.Message");
  if (stream !== undefined && typeof stream !== "boolean") throw mistyped("stream", "bool");
  if (think !== undefined && typeof think !== "boolean" && !/^(?:low|medium|high|max)$/.test(String(think))) {
    throw new Refusal(400, `invalid think value: "${String(think)}" (must be "high", "medium", "low", true, or false)`);
  }
  if (format !== undefined && format !== "json" && !isRecord(format)) throw new Refusal(400, "invalid format");
  if (top !== undefined && !(typeof top === "number" && top >= 0 && top <= 20)) {
    throw new Refusal(400, "top_logprobs must be between 0 and 20");
  }
}

function checkTool(tool: unknown): void {
  const offered = isRecord(tool) && tool.type === "function" ? tool.function : null;
  if (!isRecord(offered) || typeof offered.name !== "string") throw mistyped("tools", "api.Tools");
  if (!isRecord(offered.parameters)) throw mistyped("tools.function.parameters", "api.ToolFunctionParameters");
}

function checkMessage(message: unknown): void {
  if (!isRecord(message)) throw mistyped("messages", "api.Message");
  if (!/^(?:system|user|assistant|tool)$/.test(String(message.role))) throw new Refusal(400, "invalid role");
  if (message.content !== undefined && typeof message.content !== "string")
    throw mistyped("messages.content", "string");
  for (const image of list(message.images)) {
    if (typeof image !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(image)) {
      throw new Refusal(400, "illegal base64 data at input byte 4");
    }
  }
  for (const call of list(message.tool_calls)) {
    const made = isRecord(call) ? call.function : null;
    if (!isRecord(made) || !isRecord(made.arguments)) throw mistyped("messages.tool_calls.function.arguments", "map");
  }
  if (message.role === "tool" && typeof message.tool_name !== "string") throw new Refusal(400, "tool_name is required");
}

function look(body: Fields): Seen {
  const messages = list(body.messages).filter(isRecord);
  const textsOf = (wanted: string) =>
    messages.filter(({ role }) => role === wanted).map(({ content }) => String(content ?? ""));
  return {
    model: String(body.model),
    userText: textsOf("user").at(-1) ?? "",
    systemText: textsOf("system").join("\n"),
    tools: list(body.tools).flatMap((tool) =>
      isRecord(tool) && isRecord(tool.function) ? [String(tool.function.name)] : [],
    ),
    toolResults: textsOf("tool"),
    images: messages.flatMap(({ images }) => list(images)).length,
    stream: body.stream !== false,
    body,
  };
}

const line = (body: Fields, message: Fields): Fields => ({
  model: body.model,
  created_at: "2025-10-26T17:21:21.196249Z",
  message: { role: "assistant", content: "", ...message },
  done: false,
});

function lastLine(body: Fields, message: Fields, { finish, usage = { input: 10, output: 5 } }: Reply): Fields {
  return {
    ...line(body, message),
    done: true,
    done_reason: finish === "length" ? "length" : "stop",
    total_duration: 4883583458,
    load_duration: 1334875,
    prompt_eval_count: usage.input,
    eval_count: usage.output,
  };
}

/** Without ids, as all but the newest versions give them. */
const callsOf = ({ toolCalls = [] }: Reply): readonly Fields[] =>
  toolCalls.map((call, index) => ({ function: { index, name: call.name, arguments: call.arguments } }));

function wholeLine(body: Fields, reply: Reply): Fields {
  const calls = callsOf(reply);
  return lastLine(
    body,
    {
      content: reply.text ?? "",
      ...(reply.reasoning ? { thinking: reply.reasoning } : {}),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    reply,
  );
}

const pieces = (text = ""): readonly string[] => text.match(/.{1,8}/gsu) ?? [];

function streamResponse(body: Fields, reply: Reply): Response {
  const whole = [
    ...pieces(reply.reasoning).map((thinking) => line(body, { thinking })),
    ...pieces(reply.text).map((content) => line(body, { content })),
    ...callsOf(reply).map((call) => line(body, { tool_calls: [call] })),
    lastLine(body, {}, reply),
  ];
  const failed = { error: "an error was encountered while running the model" };
  const lines =
    reply.errorAfter === undefined ? whole.slice(0, reply.cutAfter) : [...whole.slice(0, reply.errorAfter), failed];
  const text = lines.map((one) => `${JSON.stringify(one)}\n`).join("");
  return new Response(text, { headers: { "content-type": "application/x-ndjson" } });
}
