import { isRecord } from "../../lib/json.ts";

/** Providers keep prompts from about a thousand tokens on; what is shorter has nothing to gain. */
const PREFIX_CHARACTERS = 4_096;

/** The beginning of what is asked, by which calls with the same one are told; null where it is too short to matter. */
export function promptPrefix({ system, messages, prompt }: Readonly<Record<string, unknown>>): string | null {
  let prefix = "";
  for (const message of turnsOf(system, messages, prompt)) {
    if (!isRecord(message)) continue;
    prefix += `${String(message.role)}\n`;
    for (const text of textsOf(message.content)) prefix += text.slice(0, PREFIX_CHARACTERS);
    if (prefix.length >= PREFIX_CHARACTERS) return prefix.slice(0, PREFIX_CHARACTERS);
  }
  return null;
}

/** Of a conversation, whose instructions Anthropic's form has apart, or of a text that is to be gone on with. */
function turnsOf(system: unknown, messages: unknown, prompt: unknown): readonly unknown[] {
  if (!Array.isArray(messages)) return prompt === undefined ? [] : [{ role: "prompt", content: prompt }];
  return system === undefined ? messages : [{ role: "system", content: system }, ...messages];
}

function textsOf(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => {
    const text: unknown = isRecord(part) ? part.text : part;
    return typeof text === "string" ? [text] : [];
  });
}
