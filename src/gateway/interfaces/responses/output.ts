import type { ResponseItem } from "../../../contract/responses.ts";
import { isRecord, recordIn } from "../../../lib/json.ts";
import { customInput } from "./custom-tools.ts";
import type { ToolNames } from "./tool-names.ts";

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

/** A call of a custom tool has another form than that of a function. */
export function callItem(names: ToolNames, called: Called, status: string): ResponseItem {
  const { id, callId, name, arguments: given } = called;
  if (names.isSearch(name)) {
    const found = { type: "tool_search_call", id, call_id: callId, execution: "client" };
    return { ...found, arguments: recordIn(given) ?? {}, status };
  }
  const shown = { id, call_id: callId, ...names.shown(name) };
  if (names.isCustom(name)) return { type: "custom_tool_call", ...shown, input: customInput(given), status };
  return { type: "function_call", ...shown, arguments: given, status };
}
