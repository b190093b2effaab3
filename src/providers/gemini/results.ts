import type { Message } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord, parseJson } from "../../lib/json.ts";
import type { CallNames } from "./calls.ts";
import { type Rules, usesCallIds } from "./rules.ts";
import type { Part } from "./wire.ts";

export interface Result {
  /** The place of the call that it answers. */
  readonly order: number;
  readonly part: Part;
  /** Pictures and files of the result, where they cannot stand inside it. */
  readonly media: readonly Part[];
}

/** What a function gave back; of the older `function` role too, which names the function itself. */
export function encodeResult(message: Message, parts: readonly Part[], calls: CallNames, rules: Rules): Result {
  const id = message.tool_call_id ?? message.name ?? "";
  const call = calls.get(id);
  const name = call?.name ?? message.name;
  if (!name) {
    throw new GatewayError("invalid_request", `The tool result ${JSON.stringify(id)} answers no call before it.`, {
      param: "messages",
    });
  }
  const media = parts.filter((part) => part.text === undefined);
  const nested = usesCallIds(rules) ? media : [];
  return {
    order: call?.order ?? calls.size,
    part: {
      functionResponse: {
        ...(usesCallIds(rules) && call !== undefined && message.tool_call_id ? { id: message.tool_call_id } : {}),
        name,
        response: responseOf(parts.map(({ text }) => text ?? "").join("")),
        ...(nested.length === 0 ? {} : { parts: nested }),
      },
    },
    media: nested.length === 0 ? media : [],
  };
}

/** A JSON object stands for itself, anything else is the output; long numbers would lose digits when read. */
function responseOf(text: string): Record<string, unknown> {
  if (!text.trimStart().startsWith("{") || /\d{16}/.test(text)) return { output: text };
  try {
    const parsed = parseJson(text);
    return isRecord(parsed) ? parsed : { output: text };
  } catch {
    return { output: text };
  }
}
