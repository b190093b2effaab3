import type { ChatRequest, Message } from "../../contract/chat.ts";
import type { AnswerFacts, Target } from "../dialect.ts";
import { anthropicChat } from "./chat.ts";

/** What the tests of this folder ask with. */
export const MODEL = "claude-sonnet-4-20250514";

export const FACTS: AnswerFacts = { id: "chatcmpl-1", createdSeconds: 1_700_000_000, model: "claude" };

export const target = (settings: Partial<Target> = {}): Target => ({
  provider: "anthropic",
  upstreamModel: MODEL,
  apiBase: null,
  apiKey: "sk-ant-test",
  apiVersion: null,
  params: {},
  env: () => undefined,
  ...settings,
});

export const chatRequest = (fields: Readonly<Record<string, unknown>> = {}): ChatRequest =>
  ({ model: "claude", messages: [{ role: "user", content: "Hi" }], ...fields }) as ChatRequest;

/** The body that the upstream gets. */
export function encodedBody(fields: Readonly<Record<string, unknown>>, model = MODEL): Record<string, unknown> {
  const { body } = anthropicChat.encode(chatRequest(fields), target({ upstreamModel: model }));
  return JSON.parse(String(body));
}

export const encodedTurns = (messages: readonly Message[]): unknown => encodedBody({ messages }).messages;

/** Values of every JSON type and some that look nearly right; drawn from a list, because free JSON takes seconds to draw. */
export const ODD_VALUES: readonly unknown[] = [
  ...[null, true, 0, -1.5, 1e300, "", " ", "low", "https://a.test/x", "data:,x", "{}", [], [null], {}],
  ...[
    ["a", 1],
    [{}],
    { type: "tool" },
    { type: "enabled" },
    { name: "f" },
    { url: 7 },
    { file_data: "data:text/plain,%" },
  ],
  ...[{ schema: { type: "object", properties: { a: 1 } } }, { schema: { $defs: { a: { $ref: "#/$defs/a" } } } }],
];
