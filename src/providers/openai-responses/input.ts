import type { Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { callsOf, faulty, messageText, type Part, partsOf } from "../openai-form/messages.ts";
import { thoughtsBefore } from "./thoughts.ts";

type Item = Readonly<Record<string, unknown>>;

/** Whom the items are for. */
interface Addressee {
  readonly title: string;
  /** The mark of the account that they are sent with. */
  readonly account: string;
}

/** The messages of a chat as what is put into a response. What an assistant said and what it called are items of their own. */
export function inputItems(messages: readonly Message[], { title, account }: Addressee): readonly Item[] {
  const items: Item[] = [];
  // The older interface has one call at a time and no ids: a result belongs to the call before it.
  let olderCallId: string | null = null;
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case "assistant":
        if (message.function_call) olderCallId = `call_${index}`;
        addTurn(items, message, `call_${index}`, { title, account });
        break;
      case "tool":
      case "function": {
        const id = message.tool_call_id ?? olderCallId;
        if (id === null) throw faulty(`A message of role ${message.role} does not say which call it answers.`);
        items.push({ type: "function_call_output", call_id: id, output: contentOf(message, title) });
        break;
      }
      default:
        items.push({ type: "message", role: message.role, content: contentOf(message, title) });
    }
  }
  return items;
}

/** Thoughts stand right before what they led to; without that they are refused, and are left out. */
function addTurn(items: Item[], message: Message, olderId: string, { title, account }: Addressee): void {
  const text = messageText(message, title);
  const calls = callsOf(message).map((call) => ({ ...call, id: call.id ?? olderId }));
  if (text === "" && calls.length === 0) return;
  const thoughts = thoughtsBefore(message, calls, account);
  for (const thought of thoughts.first) items.push(thought);
  if (text !== "") items.push({ type: "message", role: "assistant", content: text });
  for (const { id, name, arguments: given } of calls) {
    for (const thought of thoughts.byCall.get(id) ?? []) items.push(thought);
    thoughts.byCall.delete(id);
    items.push({ type: "function_call", call_id: id, name, arguments: given });
  }
}

/** Texts alone stay a text. */
function contentOf(message: Message, title: string): string | readonly Item[] {
  if (typeof message.content === "string") return message.content;
  const parts = partsOf(message);
  if (parts.length === 0) return "";
  return parts.map((part) => partOf(part, message.role, title));
}

function partOf(part: Part, role: string, title: string): Item {
  if (part.kind === "text") return { type: "input_text", text: part.text };
  if (part.kind === "image") return { type: "input_image", image_url: part.url, detail: part.detail ?? "auto" };
  const file = part.kind === "other" && part.type === "file" ? part.part.file : null;
  if (isRecord(file)) return fileOf(file);
  const type = part.kind === "audio" ? "input_audio" : part.type;
  throw faulty(`${title} does not take a part of type ${type} in a message of role ${role} of this model.`);
}

const FILE_FIELDS = ["file_id", "file_data", "file_url", "filename"] as const;

function fileOf(file: Item): Item {
  const given = FILE_FIELDS.filter((name) => typeof file[name] === "string").map((name) => [name, file[name]]);
  return { type: "input_file", ...Object.fromEntries(given) };
}
