import type { ChatRequest } from "../../src/contract/chat.ts";
import { GatewayError } from "../../src/contract/errors.ts";
import type { Target } from "../../src/providers/dialect.ts";

/** A deployment with nothing set but what is given. */
export const targetOf = (provider: string, upstreamModel: string, given: Partial<Target> = {}): Target => ({
  provider,
  upstreamModel,
  apiBase: null,
  apiKey: null,
  apiVersion: null,
  params: {},
  env: () => undefined,
  ...given,
});

export const HELLO: ChatRequest = { model: "m", messages: [{ role: "user", content: "Hello" }] };

export const toolNamed = (name: string, more: object = {}) => ({
  type: "function",
  function: { name, description: `Does ${name}.`, parameters: { type: "object", properties: {} }, ...more },
});

export function thrownBy(action: () => unknown): GatewayError {
  try {
    action();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}
