import { CREDENTIAL_FIELDS, GATEWAY_FIELDS, type Operation } from "../../contract/params.ts";
import { isRecord } from "../../lib/json.ts";
import type { Target } from "../dialect.ts";
import { type MessageRules, tidyMessages, tidyTools } from "./messages.ts";

export type Body = Record<string, unknown>;

/** Whether a field of a request is the upstream's business. */
export const isPassedOn = (name: string): boolean => !GATEWAY_FIELDS.has(name) && !CREDENTIAL_FIELDS.has(name);

/** The request's fields as they go out, in a fresh object: without what is ours and without nulls. */
export function passedFields(request: Readonly<Record<string, unknown>>, target: Target): Body {
  const body: Body = {};
  for (const name in request) {
    const value = request[name];
    if (value !== null && value !== undefined && isPassedOn(name)) body[name] = value;
  }
  body.model = target.upstreamModel;
  return body;
}

/** Usage is always metered: a stream is always asked to end with it, whether or not the caller wants to see it. */
export function askForUsage(operation: Operation, body: Body, isKnown: boolean): void {
  if (operation !== "chat" && operation !== "completion") return;
  const given = body.stream_options;
  if (given === undefined && body.stream !== true) return;
  // OpenAI refuses the field beside an answer that is not streamed; a deployment's defaults may bring it there.
  if (body.stream !== true || !isKnown) delete body.stream_options;
  else body.stream_options = { ...(isRecord(given) ? given : {}), include_usage: true };
}

export function tidyChat(body: Body, rules: MessageRules): void {
  body.messages = tidyMessages(body.messages, rules);
  if (body.tools !== undefined) body.tools = tidyTools(body.tools, rules);
}

/** Moves a parameter to its upstream's name. A value that already stands there is the caller's own and wins. */
export function renameField(body: Body, from: string, to: string): void {
  if (!(from in body)) return;
  const { [from]: value } = body;
  delete body[from];
  if (!(to in body)) body[to] = value;
}
