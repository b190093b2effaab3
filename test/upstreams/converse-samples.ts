import type { ChatRequest, ToolCall } from "../../src/contract/chat.ts";
import { converseBody } from "../../src/providers/bedrock/encode-chat.ts";
import { parseModel } from "../../src/providers/bedrock/model.ts";

const CLAUDE = "anthropic.claude-3-5-sonnet-20241022-v2:0";

/** What Bedrock is sent for a chat with these fields. */
export function body(fields: Record<string, unknown>, model = CLAUDE): Record<string, unknown> {
  const request = { model: "chat", messages: [{ role: "user", content: "Hi" }], ...fields } as ChatRequest;
  return converseBody(request, parseModel(model));
}

export const weather = {
  type: "function",
  function: { name: "get_weather", description: "Weather", parameters: { type: "object", properties: { city: {} } } },
};

export const weatherSpec = {
  toolSpec: {
    name: "get_weather",
    description: "Weather",
    inputSchema: { json: { type: "object", properties: { city: {} } } },
  },
};

export const call = (id: string, args = "{}"): ToolCall[] => [
  { id, type: "function", function: { name: "get_weather", arguments: args } },
];
