// A fake of OpenAI's interface: as strict about requests as the real one, answers by a script.

import { OPENAI_PARAMS } from "../../src/contract/params.ts";
import { isRecord } from "../../src/lib/json.ts";
import { chatAnswer, chatEvents, completionAnswer, completionEvents, type Flavour } from "./openai-chat.ts";
import { checkChat, checkFields, checkModel, type Fields } from "./openai-checks.ts";
import { eventResponse } from "./openai-events.ts";
import { lookAtChat, lookAtText } from "./openai-look.ts";
import {
  embeddingAnswer,
  imageAnswer,
  moderationAnswer,
  readTranscriptionForm,
  speechResponse,
  transcriptionResponse,
} from "./openai-media.ts";
import { type Failures, OPENAI_FAILURES, Refusal, refuse } from "./openai-refusal.ts";
import { lookAtResponse, responseAnswer, responseStream } from "./openai-responses.ts";
import { checkResponse } from "./openai-responses-checks.ts";
import type { Reply, Script, Seen } from "./script.ts";

export interface FakeOptions extends Partial<Flavour> {
  /** Fields that OpenAI does not know pass, as they do at many upstreams of the family. */
  readonly lenient?: boolean;
  readonly failures?: Failures;
}

const HEADERS = { "x-request-id": "req_1", "openai-processing-ms": "12", "openai-version": "2020-10-01" };

export function fakeOpenAi(script: Script, options: FakeOptions = {}): (request: Request) => Promise<Response> {
  const { failures = OPENAI_FAILURES, lenient = false } = options;
  const flavour = { reasoningField: "reasoning_content", before: [], ...options };
  const ask = (seen: Seen): Reply => {
    const reply = script.reply(seen);
    if (reply.failure !== undefined) throw failures[reply.failure]();
    return reply;
  };
  return async (request) => {
    try {
      checkEnvelope(request);
      return await answer(request, { ask, flavour, lenient });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const retry: Record<string, string> = error.status === 429 ? { "retry-after": "3" } : {};
      return Response.json(error.body(), { status: error.status, headers: { ...HEADERS, ...retry } });
    }
  };
}

interface Asking {
  ask(seen: Seen): Reply;
  readonly flavour: Flavour;
  readonly lenient: boolean;
}

function checkEnvelope(request: Request): void {
  const { pathname } = new URL(request.url);
  if (request.method !== "POST") throw new Refusal(405, `Not allowed to ${request.method} on ${pathname}`);
  const key = /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
  if (key === undefined) throw new Refusal(401, "You didn't provide an API key.");
  if (key.includes("wrong")) {
    throw new Refusal(401, `Incorrect API key provided: ${key.slice(0, 3)}****.`, { code: "invalid_api_key" });
  }
}

async function answer(request: Request, asking: Asking): Promise<Response> {
  const { pathname } = new URL(request.url);
  const path = /\/v1(\/.+)$/.exec(pathname)?.[1];
  if (path === "/audio/transcriptions") return answerTranscription(request, asking);
  const body = await readJson(request);
  const { ask, flavour, lenient } = asking;
  switch (path) {
    case "/chat/completions": {
      checkChat(body, lenient);
      const seen = lookAtChat(body);
      const reply = ask(seen);
      if (seen.stream) return eventResponse(chatEvents(seen, reply, flavour), reply, HEADERS);
      return Response.json(chatAnswer(seen, reply, flavour), { headers: HEADERS });
    }
    case "/responses": {
      checkResponse(body);
      const seen = lookAtResponse(body);
      const reply = ask(seen);
      if (seen.stream) return responseStream(seen, reply, HEADERS);
      return Response.json(responseAnswer(seen, reply), { headers: HEADERS });
    }
    case "/completions": {
      check(body, "completion", "prompt", lenient);
      const seen = lookAtText(body, body.prompt);
      const reply = ask(seen);
      if (seen.stream) return eventResponse(completionEvents(seen, reply), reply, HEADERS);
      return Response.json(completionAnswer(seen, reply), { headers: HEADERS });
    }
    case "/embeddings":
      return plain(body, "embedding", "input", asking, embeddingAnswer);
    case "/moderations":
      return plain(body, "moderation", "input", asking, moderationAnswer);
    case "/images/generations":
      return plain(body, "image", "prompt", asking, imageAnswer);
    case "/audio/speech": {
      check(body, "speech", "input", lenient);
      const seen = lookAtText(body, body.input);
      ask(seen);
      return speechResponse(seen, HEADERS);
    }
    default:
      throw new Refusal(404, `Invalid URL (POST ${pathname})`);
  }
}

function plain(
  body: Fields,
  operation: keyof typeof OPENAI_PARAMS,
  input: string,
  { ask, lenient }: Asking,
  make: (seen: Seen) => object,
): Response {
  check(body, operation, input, lenient);
  const seen = lookAtText(body, body[input]);
  ask(seen);
  return Response.json(make(seen), { headers: HEADERS });
}

function check(body: Fields, operation: keyof typeof OPENAI_PARAMS, input: string, lenient: boolean): void {
  checkFields(body, [...OPENAI_PARAMS[operation], "model", input], lenient);
  checkModel(body);
  if (body[input] === undefined) throw refuse(`Missing required parameter: '${input}'.`, input);
  if (body.stream_options !== undefined && body.stream !== true) {
    throw refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
  }
}

async function answerTranscription(request: Request, { ask }: Asking): Promise<Response> {
  const { body } = await readTranscriptionForm(request);
  checkModel(body);
  const seen = lookAtText(body, body.prompt ?? "");
  return transcriptionResponse(seen, ask(seen), HEADERS);
}

async function readJson(request: Request): Promise<Fields> {
  if (!request.headers.get("content-type")?.startsWith("application/json")) {
    throw refuse("you must provide a model parameter");
  }
  const body: unknown = await request.json().catch(() => null);
  if (!isRecord(body)) throw refuse("We could not parse the JSON body of your request.");
  return body;
}
