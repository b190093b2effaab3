import type { ResponseItem } from "../../contract/responses.ts";
import { isRecord } from "../../lib/json.ts";
import { customInput } from "./custom-tools.ts";

/** Which of the tools take a text: their calls are told in another form. */
export type CustomNames = ReadonlySet<string>;

export const messageItem = (id: string, status: string, content: readonly object[]): ResponseItem => ({
  type: "message",
  id,
  status,
  role: "assistant",
  content,
});

export const textPart = (text: string, annotations: unknown = null, logprobs: unknown = null): object => ({
  type: "output_text",
  text,
  annotations: (Array.isArray(annotations) ? annotations : []).map(annotationOf),
  logprobs: isRecord(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : [],
});

/** What a chat nests under its kind stands beside it here. */
function annotationOf(annotation: unknown): unknown {
  if (!isRecord(annotation) || !isRecord(annotation.url_citation)) return annotation;
  return { type: "url_citation", ...annotation.url_citation };
}

interface Called {
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
}

export function callItem(custom: CustomNames, called: Called, status: string): ResponseItem {
  const { id, callId, name, arguments: given } = called;
  if (custom.has(name))
    return { type: "custom_tool_call", id, call_id: callId, name, input: customInput(given), status };
  return { type: "function_call", id, call_id: callId, name, arguments: given, status };
}
