import type { Reply } from "./script.ts";

/** A failure in the words of OpenAI's interface. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly detail: { readonly type?: string; readonly param?: string | null; readonly code?: string | null } = {},
  ) {
    super(message);
  }

  body(): object {
    const { type = "invalid_request_error", param = null, code = null } = this.detail;
    return { error: { message: this.message, type, param, code } };
  }
}

export const refuse = (message: string, param: string | null = null, code: string | null = null): Refusal =>
  new Refusal(400, message, { param, code });

export type Failures = Readonly<Record<NonNullable<Reply["failure"]>, () => Refusal>>;

export const OPENAI_FAILURES: Failures = {
  bad_request: () => refuse("Invalid value for 'temperature'.", "temperature", "invalid_value"),
  context_window: () =>
    refuse(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
      "messages",
      "context_length_exceeded",
    ),
  content_policy: () =>
    refuse(
      "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.",
      null,
      "invalid_prompt",
    ),
  auth: () => new Refusal(401, "Incorrect API key provided: sk-****abcd.", { code: "invalid_api_key" }),
  not_found: () =>
    new Refusal(404, "The model `unknown` does not exist or you do not have access to it.", {
      code: "model_not_found",
    }),
  rate_limit: () =>
    new Refusal(
      429,
      "Rate limit reached for some-model in organization org-1 on requests per min (RPM): Limit 3, Used 3.",
      {
        type: "requests",
        code: "rate_limit_exceeded",
      },
    ),
  overloaded: () =>
    new Refusal(503, "The engine is currently overloaded, please try again later.", { type: "server_error" }),
  server_error: () =>
    new Refusal(500, "The server had an error while processing your request. Sorry about that!", {
      type: "server_error",
    }),
};
