import { isRecord } from "../../lib/json.ts";
import type { ChatDialect } from "../dialect.ts";
import { decodeMessage } from "./answer.ts";
import { betaHeader } from "./betas.ts";
import { messagesUrl, requestHeaders } from "./endpoint.ts";
import { malformed } from "./failure.ts";
import { MessageStream } from "./message-stream.ts";
import { messagesBody } from "./messages-body.ts";

/** What the counter takes of a message's body; it refuses the rest. */
const COUNTED = ["model", "messages", "system", "tools", "tool_choice", "thinking", "output_config"] as const;

export const anthropicChat: ChatDialect = {
  encode(request, target) {
    const body = messagesBody(request, target.upstreamModel);
    return {
      url: messagesUrl(target),
      headers: requestHeaders(target, betaHeader(request, target.params, body.messages)),
      body: JSON.stringify(body),
    };
  },
  decode: decodeMessage,
  stream: { framing: "sse", decoder: (request, facts) => new MessageStream(request, facts) },
  countTokens: {
    encode(request, target) {
      const body = messagesBody(request, target.upstreamModel);
      return {
        url: `${messagesUrl(target)}/count_tokens`,
        headers: requestHeaders(target, betaHeader(request, target.params, body.messages)),
        body: JSON.stringify(Object.fromEntries(COUNTED.map((name) => [name, body[name]]))),
      };
    },
    decode(body) {
      const tokens = isRecord(body) ? body.input_tokens : null;
      if (typeof tokens !== "number" || !Number.isSafeInteger(tokens) || tokens < 0) throw malformed("is not a count");
      return tokens;
    },
  },
};
