// Fakes of the Gemini API and of Vertex AI: as strict about requests as the real ones, answers by a script.

import { isRecord } from "../../src/lib/json.ts";
import { fakeAnthropic } from "./anthropic.ts";
import { checkContents, checkCount, checkGenerate, type Fields, list, Refusal } from "./gemini-checks.ts";
import { answerEvents, BLOCKED, FAILURES, plainAnswer, streamResponse } from "./gemini-wire.ts";
import type { Script, Seen } from "./script.ts";

type Handler = (request: Request) => Promise<Response>;

interface Call {
  readonly model: string;
  readonly method: string;
  /** The model's name as requests repeat it in their body. */
  readonly resource: string;
}

/** `POST /v1beta/models/{model}:{method}` with a key in `x-goog-api-key`. */
export function fakeGemini(script: Script): Handler {
  return answering(script, (request) => {
    const match = /^\/v1(?:beta|alpha)?\/((?:models|tunedModels)\/([^/:]+)):(\w+)$/.exec(pathOf(request));
    if (!match) throw new Refusal(404, "NOT_FOUND", "The requested URL was not found on this server.");
    if (!request.headers.get("x-goog-api-key")) {
      throw new Refusal(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers. Please use API Key.");
    }
    return { resource: match[1] ?? "", model: match[2] ?? "", method: match[3] ?? "" };
  });
}

/**
 * The same below a project's location with a token, or with a key and no project; Claude models; and at `/token` the
 * endpoint that gives the token, for credentials whose `token_uri` points there.
 */
export function fakeVertex(script: Script): Handler {
  const gemini = answering(script, (request) => {
    const match = PUBLISHED.exec(pathOf(request));
    if (!match) throw new Refusal(404, "NOT_FOUND", "The requested URL was not found on this server.");
    checkVertexCaller(request, match[1] !== undefined);
    return { resource: match[2] ?? "", model: match[2] ?? "", method: match[3] ?? "" };
  });
  const claude = fakeAnthropic(script);
  return async (request) => {
    const path = pathOf(request);
    if (path === "/token") return giveToken(request);
    const anthropic = CLAUDE.exec(path);
    return anthropic ? asAnthropic(request, anthropic[1] ?? "", claude) : gemini(request);
  };
}

const PUBLISHED =
  /^\/v1(?:beta1)?\/(?:(projects\/[^/]+\/locations\/[a-z0-9-]+)\/)?(?:publishers\/google\/models|endpoints)\/([^/:]+):(\w+)$/;
const CLAUDE =
  /^\/v1(?:beta1)?\/projects\/[^/]+\/locations\/[a-z0-9-]+\/publishers\/anthropic\/models\/([^/:]+):(?:rawPredict|streamRawPredict)$/;
const pathOf = (request: Request): string => decodeURIComponent(new URL(request.url).pathname);

function checkVertexCaller(request: Request, hasProject: boolean): void {
  const isTokenGood = /^Bearer \S+$/.test(request.headers.get("authorization") ?? "");
  const isKeyGood = !hasProject && Boolean(request.headers.get("x-goog-api-key"));
  if (isTokenGood || isKeyGood) return;
  throw new Refusal(401, "UNAUTHENTICATED", "Request is missing required authentication credential.");
}

function answering(script: Script, envelope: (request: Request) => Call): Handler {
  return async (request) => {
    try {
      if (request.method !== "POST") throw new Refusal(404, "NOT_FOUND", "The requested URL was not found.");
      const call = envelope(request);
      const body: unknown = await request.json().catch(() => {
        throw new Refusal(400, "INVALID_ARGUMENT", "Invalid JSON payload received.");
      });
      if (!isRecord(body)) throw new Refusal(400, "INVALID_ARGUMENT", "Invalid JSON payload received.");
      return answer(call, body, new URL(request.url), script);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const isStream = pathOf(request).endsWith(":streamGenerateContent");
      return Response.json(isStream ? [error.body] : error.body, { status: error.status });
    }
  };
}

function answer(call: Call, body: Fields, url: URL, script: Script): Response {
  switch (call.method) {
    case "generateContent":
    case "streamGenerateContent":
      return generate(call, body, url, script);
    case "countTokens":
      return Response.json({ totalTokens: Math.ceil(JSON.stringify(checkCount(body, call)).length / 4) });
    case "embedContent":
      return Response.json({
        embedding: { values: vector(contentText(body), 0) },
        usageMetadata: { promptTokenCount: 1 },
      });
    case "batchEmbedContents":
      return Response.json({ embeddings: list(body.requests).map((one, at) => ({ values: embedded(one, at, call) })) });
    case "predict":
      return predict(body);
    default:
      throw new Refusal(404, "NOT_FOUND", `Method ${call.method} not found.`);
  }
}

function generate(call: Call, body: Fields, url: URL, script: Script): Response {
  const isStream = call.method === "streamGenerateContent";
  if (isStream && url.searchParams.get("alt") !== "sse")
    throw new Refusal(400, "INVALID_ARGUMENT", "alt=sse is missing");
  checkGenerate(body, call.model);
  const reply = script.reply(look(body, call.model, isStream));
  if (reply.failure === "content_policy") {
    return isStream ? streamResponse([BLOCKED], {}) : Response.json(BLOCKED);
  }
  if (reply.failure !== undefined) throw new Refusal(...FAILURES[reply.failure]);
  if (!isStream) return Response.json(plainAnswer(reply, call.model));
  return streamResponse(answerEvents(reply, call.model), reply);
}

function look(body: Fields, model: string, stream: boolean): Seen {
  const turns = checkContents(body, model);
  const parts = turns.flatMap((turn) => turn.parts);
  const results = parts.flatMap(({ functionResponse }) => (isRecord(functionResponse) ? [functionResponse] : []));
  const asked = turns.findLast(({ role, parts }) => role === "user" && !parts.some((part) => part.functionResponse));
  const instruction = isRecord(body.systemInstruction) ? list(body.systemInstruction.parts) : [];
  return {
    model,
    userText: textOf(asked?.parts ?? []),
    systemText: textOf(instruction.filter(isRecord)),
    tools: list(body.tools)
      .flatMap((tool) => (isRecord(tool) ? list(tool.functionDeclarations) : []))
      .flatMap((func) => (isRecord(func) ? [String(func.name)] : [])),
    toolResults: results.map(({ response }) => resultText(response)),
    images: [...parts, ...results.flatMap((result) => list(result.parts).filter(isRecord))].filter(isPicture).length,
    stream,
    body,
  };
}

const textOf = (parts: readonly Fields[]): string =>
  parts.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");

const resultText = (response: unknown): string =>
  isRecord(response) && typeof response.output === "string" ? response.output : JSON.stringify(response);

function isPicture(part: Fields): boolean {
  const media = part.inlineData ?? part.fileData;
  return isRecord(media) && /^image\//.test(String(media.mimeType));
}

// Embeddings

const vector = (text: string, index: number): number[] => [index, text.length, 1];

function contentText(body: Fields): string {
  const parts = isRecord(body.content) ? list(body.content.parts).filter(isRecord) : [];
  if (parts.length === 0) throw new Refusal(400, "INVALID_ARGUMENT", "content is required");
  return textOf(parts);
}

function embedded(request: unknown, index: number, call: Call): number[] {
  if (!isRecord(request) || request.model !== call.resource) {
    throw new Refusal(400, "INVALID_ARGUMENT", `requests[${index}].model must match the model in the request URL`);
  }
  return vector(contentText(request), index);
}

function predict(body: Fields): Response {
  const instances = list(body.instances);
  if (instances.length === 0) throw new Refusal(400, "INVALID_ARGUMENT", "instances is required");
  const predictions = instances.map((instance, index) => {
    const content = isRecord(instance) ? instance.content : null;
    if (typeof content !== "string" || content === "") {
      throw new Refusal(400, "INVALID_ARGUMENT", "The text content is empty.");
    }
    const statistics = { token_count: Math.ceil(content.length / 4), truncated: false };
    return { embeddings: { values: vector(content, index), statistics } };
  });
  return Response.json({ predictions, metadata: { billableCharacterCount: 1 } });
}

// What Vertex AI has beside Google's models

async function giveToken(request: Request): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  const isAssertion = form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer";
  const isGood = isAssertion ? form.get("assertion")?.split(".").length === 3 : Boolean(form.get("refresh_token"));
  if (!isGood) return Response.json({ error: "invalid_grant", error_description: "Bad Request" }, { status: 400 });
  return Response.json({ access_token: "ya29.fake", expires_in: 3599, token_type: "Bearer" });
}

/** The model from the path and the version from the body stand where Anthropic's own interface has them. */
async function asAnthropic(request: Request, model: string, claude: Handler): Promise<Response> {
  try {
    checkVertexCaller(request, true);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return Response.json(error.body, { status: error.status });
  }
  const isCount = model === "count-tokens";
  const { anthropic_version: version, ...body } = (await request.json()) as Fields;
  const hasVersion = version === "vertex-2023-10-16" || isCount;
  const headers = { "x-api-key": "vertex", "anthropic-version": hasVersion ? "2023-06-01" : "none" };
  const url = new URL(isCount ? "/v1/messages/count_tokens" : "/v1/messages", request.url);
  return claude(
    new Request(url.href, { method: "POST", headers, body: JSON.stringify(isCount ? body : { ...body, model }) }),
  );
}
