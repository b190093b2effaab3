import { isRecord } from "../../lib/json.ts";

/** Providers keep prompts from about a thousand tokens on; what is shorter has nothing to gain. */
const PREFIX_CHARACTERS = 4_096;

/** The beginning of a conversation, by which calls with the same one are told; null where it is too short to matter. */
export function promptPrefix(messages: unknown): string | null {
  if (!Array.isArray(messages)) return null;
  let prefix = "";
  for (const message of messages) {
    if (!isRecord(message)) continue;
    prefix += `${String(message.role)}\n`;
    for (const text of textsOf(message.content)) prefix += text.slice(0, PREFIX_CHARACTERS);
    if (prefix.length >= PREFIX_CHARACTERS) return prefix.slice(0, PREFIX_CHARACTERS);
  }
  return null;
}

function textsOf(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => (isRecord(part) && typeof part.text === "string" ? [part.text] : []));
}
