import { ANSWER_TOOL } from "../../src/providers/bedrock/json-answer.ts";
import { NO_TOOL } from "../../src/providers/bedrock/tool-config.ts";
import { checkBedrockAuth } from "./bedrock-auth.ts";
import { checkConverse, checkEmbedding } from "./bedrock-checks.ts";
import { answerEvents, type Block, eventStream, isObject, plainAnswer, Refusal } from "./bedrock-wire.ts";
import type { Reply, Script, Seen } from "./script.ts";

const PATH = /^\/model\/([^/]+)\/(converse|converse-stream|invoke)$/;

/**
 * Amazon Bedrock's runtime, as far as chat and embeddings go. It takes any bearer key, or the signature of `FAKE_AWS`
 * (see `bedrock-auth.ts`), which it computes itself.
 */
export function fakeBedrock(script: Script): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      return await answer(script, request);
    } catch (thrown) {
      if (thrown instanceof Refusal) return thrown.response();
      throw thrown;
    }
  };
}

async function answer(script: Script, request: Request): Promise<Response> {
  const [, id, call] = PATH.exec(new URL(request.url).pathname) ?? [];
  if (id === undefined || request.method !== "POST") {
    throw new Refusal(404, "UnknownOperationException", "");
  }
  const text = await request.text();
  await checkBedrockAuth(request, text);
  const body = parseBody(request, text);
  const model = decodeURIComponent(id);
  if (call === "invoke") return Response.json(embed(model, body));
  checkConverse(body);
  const isStream = call === "converse-stream";
  const reply = script.reply(see(model, body, isStream));
  if (reply.failure !== undefined) throw FAILURES[reply.failure];
  const content = contentOf(reply, toolNames(body));
  return isStream ? eventStream(answerEvents(reply, content), reply) : Response.json(plainAnswer(reply, content));
}

function parseBody(request: Request, text: string): Block {
  if (!request.headers.get("content-type")?.startsWith("application/json")) {
    throw new Refusal(415, "UnsupportedMediaTypeException", "The content type is not application/json.");
  }
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body)) return body;
  } catch {
    // Falls through.
  }
  throw new Refusal(400, "SerializationException", "The body is not a JSON object.");
}

const FAILURES: Readonly<Record<NonNullable<Reply["failure"]>, Refusal>> = {
  bad_request: new Refusal(400, "ValidationException", "Malformed input request: the temperature is out of range."),
  context_window: new Refusal(
    400,
    "ValidationException",
    "The model returned the following errors: Input is too long for requested model.",
  ),
  content_policy: new Refusal(400, "ValidationException", "Output blocked by content filtering policy"),
  auth: new Refusal(403, "UnrecognizedClientException", "The security token included in the request is invalid."),
  not_found: new Refusal(404, "ResourceNotFoundException", "Could not resolve the foundation model."),
  rate_limit: new Refusal(429, "ThrottlingException", "Too many requests, please wait before trying again."),
  overloaded: new Refusal(503, "ServiceUnavailableException", "Bedrock is unable to process your request."),
  server_error: new Refusal(500, "InternalServerException", "The system encountered an unexpected error."),
};

const blocksOf = (list: unknown): readonly Block[] => (Array.isArray(list) ? list.filter(isObject) : []);
const textsOf = (blocks: readonly Block[]): string =>
  blocks.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");

const toolNames = ({ toolConfig }: Block): readonly string[] =>
  blocksOf(isObject(toolConfig) ? toolConfig.tools : []).flatMap(({ toolSpec }) =>
    isObject(toolSpec) ? [String(toolSpec.name)] : [],
  );

function see(model: string, body: Block, stream: boolean): Seen {
  const turns = blocksOf(body.messages);
  const blocks = turns.flatMap(({ content }) => blocksOf(content));
  const lastUser = turns.findLast(({ role, content }) => role === "user" && textsOf(blocksOf(content)) !== "");
  const results = blocks.flatMap(({ toolResult }) => (isObject(toolResult) ? [blocksOf(toolResult.content)] : []));
  return {
    model,
    userText: textsOf(blocksOf(lastUser?.content)),
    systemText: textsOf(blocksOf(body.system)),
    tools: toolNames(body).filter((name) => name !== ANSWER_TOOL && name !== NO_TOOL),
    toolResults: results.map(textsOf),
    images: [...blocks, ...results.flat()].filter((block) => "image" in block).length,
    stream,
    body,
  };
}

/** A model that is offered the tool for answers in JSON uses it for what the script says in JSON. */
function contentOf(reply: Reply, tools: readonly string[]): readonly Block[] {
  const json = tools.includes(ANSWER_TOOL) && reply.text !== undefined ? parseObject(reply.text) : null;
  const calls = json === null ? (reply.toolCalls ?? []) : [{ name: ANSWER_TOOL, arguments: json }];
  return [
    ...(reply.reasoning === undefined
      ? []
      : [{ reasoningContent: { reasoningText: { text: reply.reasoning, signature: "c2lnbmVk" } } }]),
    ...(reply.text === undefined || json !== null ? [] : [{ text: reply.text }]),
    ...calls.map(({ name, arguments: input }, index) => ({
      toolUse: { toolUseId: `tooluse_${index}`, name, input },
    })),
  ];
}

function parseObject(text: string): Block | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function embed(model: string, body: Block): object {
  const texts = checkEmbedding(model, body);
  const vectors = texts.map((text, index) => [index, text.length, 1]);
  if (model.includes("titan")) return { embedding: vectors[0], inputTextTokenCount: 3 };
  return { id: "embedding-1", texts, embeddings: vectors, response_type: "embeddings_floats" };
}
