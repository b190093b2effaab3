// What Google answers: small answers in one form, plain or as events.

import type { Fields } from "./gemini-checks.ts";
import type { Reply } from "./script.ts";

type Failure = Exclude<NonNullable<Reply["failure"]>, "content_policy">;

export const FAILURES: Readonly<Record<Failure, readonly [number, string, string]>> = {
  bad_request: [400, "INVALID_ARGUMENT", "Request contains an invalid argument."],
  context_window: [
    400,
    "INVALID_ARGUMENT",
    "The input token count (1054016) exceeds the maximum number of tokens allowed (1048576).",
  ],
  auth: [400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."],
  not_found: [404, "NOT_FOUND", "models/gemini-0 is not found for API version v1beta."],
  rate_limit: [429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."],
  overloaded: [503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
  server_error: [500, "INTERNAL", "An internal error has occurred."],
};

/** A prompt that is refused for its content comes with status 200. */
export const BLOCKED: Fields = {
  promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
  usageMetadata: { promptTokenCount: 12, totalTokenCount: 12 },
};

const FINISH = { stop: "STOP", length: "MAX_TOKENS", content_filter: "SAFETY" } as const;
let calls = 0;

/** Models of the third generation give calls an id, and seal the first. */
function partsOf(reply: Reply, model: string): Fields[] {
  const isThird = /^gemini-3/.test(model);
  return [
    ...(reply.reasoning ? [{ text: reply.reasoning, thought: true }] : []),
    ...(reply.text ? [{ text: reply.text }] : []),
    ...(reply.toolCalls ?? []).map(({ name, arguments: args }, at) => ({
      functionCall: { ...(isThird ? { id: `fc${++calls}` } : {}), name, args },
      ...(isThird && at === 0 ? { thoughtSignature: "c2VhbGVk" } : {}),
    })),
  ];
}

export function plainAnswer(reply: Reply, model: string): Fields {
  const parts = partsOf(reply, model);
  const content = { ...(parts.length > 0 ? { parts } : {}), role: "model" };
  return {
    candidates: [{ content, finishReason: FINISH[reply.finish ?? "stop"], index: 0 }],
    usageMetadata: wireUsage(reply),
    modelVersion: model,
    responseId: "mAitaLmkHPPlz7IPvtfUqQ4",
  };
}

/** Texts in pieces, calls whole, and the finish in an event of its own. */
export function answerEvents(reply: Reply, model: string): Fields[] {
  const { promptTokenCount, totalTokenCount } = wireUsage(reply);
  const event = (part: Fields): Fields => ({
    candidates: [{ content: { parts: [part], role: "model" } }],
    usageMetadata: { promptTokenCount, totalTokenCount },
    modelVersion: model,
  });
  const pieces = partsOf(reply, model).flatMap((part) =>
    typeof part.text === "string" ? (part.text.match(/.{1,8}/gsu) ?? []).map((text) => ({ ...part, text })) : [part],
  );
  const last = {
    candidates: [{ content: { parts: [{ text: "" }], role: "model" }, finishReason: FINISH[reply.finish ?? "stop"] }],
    usageMetadata: wireUsage(reply),
    modelVersion: model,
  };
  return [...pieces.map(event), last];
}

export function streamResponse(whole: readonly Fields[], { cutAfter, errorAfter }: Reply): Response {
  const error = { error: { code: 500, message: "An internal error has occurred.", status: "INTERNAL" } };
  const events = errorAfter === undefined ? whole.slice(0, cutAfter) : [...whole.slice(0, errorAfter), error];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/** The script's output is the whole of it; Google counts the thoughts apart. */
function wireUsage({ usage = { input: 10, output: 5 } }: Reply): Record<string, number> {
  const thoughts = usage.reasoning ?? 0;
  return {
    promptTokenCount: usage.input,
    candidatesTokenCount: Math.max(usage.output - thoughts, 0),
    totalTokenCount: usage.input + usage.output,
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    ...(usage.cacheRead ? { cachedContentTokenCount: usage.cacheRead } : {}),
  };
}
