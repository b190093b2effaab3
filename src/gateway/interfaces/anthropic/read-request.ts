import type { ChatRequest } from "../../../contract/chat.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { MessageCountRequest, MessagesRequest } from "../../../contract/messages.ts";
import { isOpenAiParam } from "../../../contract/params.ts";
import { isRecord } from "../../../lib/json.ts";
import type { Fields } from "../../call/gateway.ts";
import { noEffect } from "../../pipeline/gateway-params.ts";
import { isClosed } from "./closed-schema.ts";

/**
 * A call of Anthropic's interface as the request that the gateway carries out. What steers a call has the names that chats
 * have for it; what is said and offered stays in Anthropic's own form until it is known who answers: `asChat` is for those
 * who do not speak it.
 */
export function toRequest(body: MessagesRequest | MessageCountRequest, betas: string | null): ChatRequest {
  const request: Record<string, unknown> = { anthropic_form: true };
  for (const [name, value] of Object.entries(body)) {
    if (value === null || value === undefined) continue;
    const translate = TRANSLATED.get(name);
    if (translate) translate(request, value);
    else if (SAME.has(name) || !isOpenAiParam("chat", name)) request[name] = value;
    else throw notOfMessages(name);
  }
  if (request.stream === true) request.stream_options = { include_usage: true };
  if (betas !== null) request.extra_headers = { "anthropic-beta": betas };
  return request as ChatRequest;
}

/** Fields that both interfaces have under one name. */
const SAME: ReadonlySet<string> = new Set(["max_tokens", "stream", "temperature", "top_p", "tools", "tool_choice"]);

type Translate = (request: Record<string, unknown>, value: unknown) => void;

const TRANSLATED: ReadonlyMap<string, Translate> = new Map(
  Object.entries<Translate>({
    // What is no field of Anthropic's but its own is the gateway's.
    anthropic_form: () => undefined,
    stop_sequences(request, value) {
      if (Array.isArray(value) && value.length > 0) request.stop = value;
    },
    metadata(request, value) {
      if (!isRecord(value)) return;
      const { user_id: user, ...ours } = value;
      if (user != null && typeof user !== "string") throw wrongUser();
      if (user) request.user = user;
      if (Object.keys(ours).length > 0) request.metadata = ours;
    },
    service_tier(request, value) {
      request.service_tier = value === "standard_only" ? "default" : value;
    },
    output_config(request, value) {
      if (!isRecord(value)) return;
      const { format, ...rest } = value;
      if (isRecord(format)) request.response_format = responseFormat(format);
      if (Object.keys(rest).length > 0) request.output_config = rest;
    },
    // Its name before it became a part of `output_config`.
    output_format(request, value) {
      request.response_format ??= responseFormat(value);
    },
  }),
);

function responseFormat(format: unknown): Fields {
  const { type, schema } = isRecord(format) ? format : ({} as Fields);
  if (type === "json_schema" && isRecord(schema)) {
    return { type, json_schema: { name: "answer", schema, strict: isClosed(schema) } };
  }
  throw new GatewayError("invalid_request", "The format of the output is a json_schema with its schema.", {
    param: "output_config",
  });
}

const wrongUser = (): GatewayError => noEffect("metadata.user_id", "text");

const notOfMessages = (name: string): GatewayError =>
  new GatewayError("invalid_request", `${name}: it is no field of a message, but of a chat completion.`, {
    param: name,
  });
