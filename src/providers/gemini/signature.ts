import { isRecord } from "../../lib/json.ts";

/**
 * Google seals a model's reasoning with a signature on a part and wants it back there. On a function call it travels as
 * `provider_specific_fields.thought_signature` of the tool call; on text as the message's `thought_signatures`. They are
 * no `thinking_blocks`: another provider of the same group would take those for its own and refuse them.
 */
export const signatureField = (signature: string): { thought_signature: string } => ({ thought_signature: signature });
export const textSignatureField = (signatures: readonly string[]): { thought_signatures: readonly string[] } => ({
  thought_signatures: signatures,
});

/** Documented by Google for calls whose seal is lost, as when another model made them. */
export const LOST_SIGNATURE = "skip_thought_signature_validator";

/** Of a tool call or a picture in our form, or in the form of Google's own OpenAI-like endpoint. */
export function callSignature(call: unknown): string | null {
  if (!isRecord(call)) return null;
  const ours = isRecord(call.provider_specific_fields) ? call.provider_specific_fields.thought_signature : null;
  const extra = isRecord(call.extra_content) ? call.extra_content.google : null;
  const found = ours ?? (isRecord(extra) ? extra.thought_signature : null);
  return typeof found === "string" && found !== "" ? found : null;
}

/** The last one: Google puts the seal of a text on its last part. */
export function textSignature(message: Readonly<Record<string, unknown>>): string | null {
  const fields = message.provider_specific_fields;
  const list = isRecord(fields) ? fields.thought_signatures : null;
  const last: unknown = Array.isArray(list) ? list.at(-1) : null;
  return typeof last === "string" && last !== "" ? last : null;
}
