import type { Usage } from "../../../contract/chat.ts";
import { ERRORS, type GatewayError } from "../../../contract/errors.ts";
import type { ResponseAnswer, ResponseItem, ResponseRequest, ResponseUsage } from "../../../contract/responses.ts";

/** What is known of an answer before the model has said anything. */
export interface ResponseFacts {
  readonly id: string;
  readonly createdSeconds: number;
  readonly request: ResponseRequest;
  /** Whether it will be kept. */
  readonly store: boolean;
}

/** How it ended, and what came of it. */
export interface ResponseEnd {
  readonly status: ResponseAnswer["status"];
  readonly output: readonly ResponseItem[];
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly error: GatewayError | null;
  readonly serviceTier?: unknown;
  /** What the gateway has to say of the stream itself: that another model went on with it. */
  readonly gwMetadata?: unknown;
}

export const BEGUN: ResponseEnd = { status: "in_progress", output: [], finishReason: null, usage: null, error: null };
export const QUEUED: ResponseEnd = { ...BEGUN, status: "queued" };

/** Why a model stopped before its end. */
const INCOMPLETE: Readonly<Record<string, string>> = { length: "max_output_tokens", content_filter: "content_filter" };

export const statusOf = (finishReason: string | null): "completed" | "incomplete" =>
  finishReason !== null && finishReason in INCOMPLETE ? "incomplete" : "completed";

/** The id of what it goes on from and is put behind. */
export const conversationOf = ({ conversation }: Pick<ResponseRequest, "conversation">): string | null =>
  (typeof conversation === "string" ? conversation : conversation?.id) ?? null;

/** The whole object: what was asked for, with what was not said as it holds, and what became of it. */
export function responseObject(
  { id, createdSeconds, request, store }: ResponseFacts,
  end: ResponseEnd,
): ResponseAnswer {
  const conversation = conversationOf(request);
  const reason = end.status === "incomplete" ? INCOMPLETE[end.finishReason ?? ""] : undefined;
  return {
    id,
    object: "response",
    created_at: createdSeconds,
    status: end.status,
    background: request.background === true,
    error: end.error && { code: ERRORS[end.error.kind].code, message: end.error.message },
    incomplete_details: reason === undefined ? null : { reason },
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model: request.model,
    output: [...end.output],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    conversation: conversation === null ? null : { id: conversation },
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: end.serviceTier ?? request.service_tier ?? "auto",
    store,
    temperature: request.temperature ?? null,
    text: { ...(request.text ?? {}), format: request.text?.format ?? { type: "text" } },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? null,
    truncation: "disabled",
    usage: end.usage && usageOf(end.usage),
    user: request.user ?? null,
    metadata: request.metadata ?? {},
    ...(end.gwMetadata === undefined ? {} : { gw_metadata: end.gwMetadata }),
  };
}

const usageOf = (usage: Usage): ResponseUsage => ({
  input_tokens: usage.prompt_tokens,
  input_tokens_details: {
    cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    cache_write_tokens: usage.prompt_tokens_details?.cache_creation_tokens ?? 0,
  },
  output_tokens: usage.completion_tokens,
  output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
  total_tokens: usage.total_tokens,
});
