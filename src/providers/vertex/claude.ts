import type { ChatRequest } from "../../contract/chat.ts";
import { betaHeader } from "../anthropic/betas.ts";
import { messagesBody } from "../anthropic/messages-body.ts";
import type { Target, UpstreamRequest } from "../dialect.ts";
import { pathOf } from "../gemini/address.ts";
import { vertexRequest } from "./address.ts";

const VERSION = "vertex-2023-10-16";
const COUNTED = ["messages", "system", "tools", "tool_choice", "thinking"] as const;

export const isClaude = (model: string): boolean => model.startsWith("claude-");

/** Anthropic's Messages behind Google's door: the model stands in the path, the version in the body. */
export function encodeClaude(request: ChatRequest, target: Target): UpstreamRequest {
  const { model, ...body } = messagesBody(request, target.upstreamModel);
  const method = request.stream === true ? "streamRawPredict" : "rawPredict";
  const sent = vertexRequest(target, `publishers/anthropic/models/${pathOf(model)}`, method, {
    anthropic_version: VERSION,
    ...body,
  });
  return { ...sent, headers: { ...sent.headers, ...betaHeader(request, target.params, body.messages) } };
}

/** The counter is a model of its own, which is told the model's name. */
export function encodeClaudeCount(request: ChatRequest, target: Target): UpstreamRequest {
  const body = messagesBody(request, target.upstreamModel);
  const counted = COUNTED.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]);
  return vertexRequest(target, "publishers/anthropic/models/count-tokens", "rawPredict", {
    model: body.model,
    ...Object.fromEntries(counted),
  });
}
