import { isRecord, recordIn, textOf } from "../../../lib/json.ts";
import { ownParts } from "../../../providers/gemini/own-form.ts";
import { callSignature, textSignature } from "../../../providers/gemini/signature.ts";
import { sealedItems } from "../../../providers/openai-responses/thoughts.ts";
import type { Fields } from "../../call/gateway.ts";
import { recordsIn, wordsIn } from "../shared/read-chunk.ts";
import { sealThoughts } from "./thought-signature.ts";

/** A chat's message as the parts of a candidate. */
export function generatedParts(said: Fields, showsThoughts: boolean): Fields[] {
  const thought = showsThoughts ? (textOf(said.reasoning_content) ?? "") : "";
  const words = wordsIn(said.content) || (textOf(said.refusal) ?? "");
  const seal = sealThoughts({ blocks: recordsIn(said.thinking_blocks), items: sealedItems(said) });
  const calls = recordsIn(said.tool_calls);
  const ownSeal = textSignature(said);
  const textSeal = ownSeal ?? (calls.length === 0 ? seal : null);
  const parts: Fields[] = thought === "" ? [] : [{ text: thought, thought: true }];
  for (const part of ownParts(said)) parts.push(part);
  if (words !== "" || textSeal !== null) parts.push({ text: words, ...sealed(textSeal) });
  for (const image of recordsIn(said.images)) parts.push(...picture(image));
  for (const [at, call] of calls.entries()) parts.push(callPart(call, at === 0 ? seal : null));
  return parts;
}

/** A picture, where it lies in the answer itself. */
export function picture(image: Fields): Fields[] {
  const url = isRecord(image.image_url) ? textOf(image.image_url.url) : null;
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url ?? "") ?? [];
  return mimeType && data ? [{ inlineData: { mimeType, data }, ...sealed(callSignature(image)) }] : [];
}

/** The seal is Google's own where there is one. */
export function callPart(call: Fields, seal: string | null): Fields {
  const { name, arguments: written } = isRecord(call.function) ? call.function : ({} as Fields);
  const id = textOf(call.id);
  return {
    functionCall: { ...(id && { id }), name: textOf(name) ?? "", args: argumentsOf(textOf(written) ?? "") },
    ...sealed(callSignature(call) ?? seal),
  };
}

/** What a model wrote that is no JSON object is shown as it wrote it. */
function argumentsOf(written: string): Fields {
  if (written.trim() === "") return {};
  return recordIn(written) ?? { INVALID_JSON: written };
}

export const sealed = (signature: string | null): Fields => (signature === null ? {} : { thoughtSignature: signature });
