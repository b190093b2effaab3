import { GatewayError } from "../../contract/errors.ts";
import type { Fields, InferenceCall } from "../call/gateway.ts";
import { isGeminiRequest } from "../interfaces/gemini/marker.ts";

/** Wishes that other gateways carry out and that would be broken without a word: the answer or the log would be another than meant. */
export function rejectUnsupportedOptions(call: InferenceCall, request: Fields): void {
  if (request.prompt_id != null) {
    throw refusal("prompt_id", "There are no stored prompts here: send the messages themselves, and not `prompt_id`.");
  }
  // Before the cache is asked: what is refused has no answer there.
  isGeminiRequest(request);
  if (!call.caller.standing?.storePrompts) return;
  for (const name of ["no-log", "turn_off_message_logging"]) {
    if (request[name] === true) throw refusal(name, KEPT);
  }
  const redaction = call.header("x-gw-enable-message-redaction");
  if (redaction !== null && !SAYS_NO.has(redaction.toLowerCase())) throw refusal(null, KEPT);
}

const SAYS_NO: ReadonlySet<string> = new Set(["false", "0", "no", "off"]);

const KEPT =
  "The organization of this key keeps requests and answers with the log, and a call cannot be left out. Its administrators can change that in its settings.";

const refusal = (param: string | null, message: string): GatewayError =>
  new GatewayError("invalid_request", message, param === null ? {} : { param });
