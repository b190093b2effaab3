import type { ChatRequest, Usage } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord, recordIn } from "../../lib/json.ts";
import { decodeMessage } from "../anthropic/answer.ts";
import { MessageStream } from "../anthropic/message-stream.ts";
import type { AnswerFacts, ChatDialect, ChunkDecoder, StreamEvent } from "../dialect.ts";
import { decodeAnswer } from "../gemini/answer.ts";
import { broken } from "../gemini/candidate.ts";
import { googleChat } from "../gemini/chat.ts";
import { GeminiStream } from "../gemini/stream.ts";
import { count } from "../gemini/usage.ts";
import { TITLE, vertexPlatform } from "./address.ts";
import { encodeClaude, encodeClaudeCount, isClaude } from "./claude.ts";

const geminiModels = googleChat(vertexPlatform);

/** Gemini and Claude models. Whose answer it is shows in the answer, which knows no target. */
export const vertexChat: ChatDialect = {
  encode: (request, target) =>
    isClaude(target.upstreamModel) ? encodeClaude(request, target) : geminiModels.encode(request, target),
  decode: (body, request, facts) =>
    isRecord(body) && (body.type === "message" || body.type === "error")
      ? decodeMessage(body, request, facts)
      : decodeAnswer(body, request, facts, TITLE),
  stream: { framing: "sse", decoder: (request, facts) => new VertexStream(request, facts) },
  inlineMedia: true,
  countTokens: {
    encode(request, target) {
      if (isClaude(target.upstreamModel)) return encodeClaudeCount(request, target);
      const counter = geminiModels.countTokens;
      if (counter === undefined) throw new GatewayError("internal", "Gemini models have lost their counter.");
      return counter.encode(request, target);
    },
    decode(body) {
      const total = isRecord(body) ? (body.totalTokens ?? body.input_tokens) : null;
      if (total === 0 || count(total) > 0) return count(total);
      throw broken(TITLE, "has no count of tokens");
    },
  },
};

/** The first event tells which of the two streams it is: Anthropic's events say their type. */
class VertexStream implements ChunkDecoder {
  readonly textLeavesNoTrace = true;
  private inner: ChunkDecoder | null = null;

  constructor(
    private readonly request: ChatRequest,
    private readonly facts: AnswerFacts,
  ) {}

  push(event: StreamEvent) {
    this.inner ??= isAnthropic(event)
      ? new MessageStream(this.request, this.facts)
      : new GeminiStream(this.request, this.facts, TITLE);
    return this.inner.push(event);
  }

  end() {
    if (this.inner === null) throw new GatewayError("upstream", `${TITLE}'s stream broke off.`);
    return this.inner.end();
  }

  get isWhole(): boolean {
    return this.inner?.isWhole ?? false;
  }

  get usageSoFar(): Usage | null {
    return this.inner?.usageSoFar ?? null;
  }
}

function isAnthropic({ name, data }: StreamEvent): boolean {
  return (name !== null && name !== "message") || typeof recordIn(data)?.type === "string";
}
