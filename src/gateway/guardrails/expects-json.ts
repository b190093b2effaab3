import { isRecord } from "../../lib/json.ts";
import type { Fields } from "../call/gateway.ts";

/** Whether a request wants what the model says to be JSON: in OpenAI's words, or in those of vLLM and Ollama. */
export function wantsJson({ response_format, guided_json, structured_outputs, format, extra_body }: Fields): boolean {
  if (isRecord(response_format) && String(response_format.type).startsWith("json")) return true;
  if (isRecord(structured_outputs) && (structured_outputs.json || structured_outputs.json_object)) return true;
  if (guided_json || format === "json" || isRecord(format)) return true;
  return isRecord(extra_body) && wantsJson(extra_body);
}
