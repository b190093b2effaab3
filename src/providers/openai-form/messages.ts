import type { ChatRequest, ContentPart, Message } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord, textOf } from "../../lib/json.ts";

/** The messages of a request. Its schema leaves parts and calls open, so `partsOf` and `callsOf` check what they read. */
export const messagesOf = (request: ChatRequest): readonly Message[] => request.messages as readonly Message[];

/** A piece of a message's content; `other` is what only some providers take. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly url: string; readonly detail: string | null }
  | { readonly kind: "audio"; readonly data: string; readonly format: string }
  | { readonly kind: "other"; readonly type: string; readonly part: ContentPart };

/** A call that an assistant message made; the older `function_call` has no id. */
interface Call {
  readonly id: string | null;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** What a message says. A model that declined has said so beside its content, and is told of that when it is asked again. */
export function wordsIn({ content, refusal }: Message): Message["content"] {
  const isEmpty = content === null || content === undefined || content.length === 0;
  return isEmpty && typeof refusal === "string" ? refusal : content;
}

export function partsOf(message: Message): readonly Part[] {
  const content = wordsIn(message);
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return (message.role === "assistant" ? content.filter((part) => !isThought(part)) : content).map(partOf);
}

/** Thoughts that an assistant message brings back among its words: they are of use to the provider alone that signed them. */
export const isThought = ({ type }: ContentPart): boolean => type === "thinking" || type === "redacted_thinking";

function partOf(part: ContentPart): Part {
  switch (part.type) {
    case "text":
      return { kind: "text", text: wordsOf(part.text, "text") };
    case "refusal":
      return { kind: "text", text: wordsOf(part.refusal, "refusal") };
    case "image_url": {
      const { image_url: image } = part;
      if (typeof image === "string") return { kind: "image", url: image, detail: null };
      if (!isRecord(image)) throw faulty("A part of type image_url has no image_url.");
      const detail = typeof image.detail === "string" ? image.detail : null;
      return { kind: "image", url: wordsOf(image.url, "image_url.url"), detail };
    }
    case "input_audio": {
      const audio = part.input_audio;
      if (!isRecord(audio)) throw faulty("A part of type input_audio has no input_audio.");
      return {
        kind: "audio",
        data: wordsOf(audio.data, "input_audio.data"),
        format: wordsOf(audio.format, "input_audio.format"),
      };
    }
    default:
      return { kind: "other", type: textOf(part.type) ?? "unknown", part };
  }
}

function wordsOf(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw faulty(`A content part's ${field} is not a string.`);
}

/** The text of a message in a place where the provider takes nothing else. */
export function messageText(message: Message, provider: string): string {
  const texts = partsOf(message).map((part) => {
    if (part.kind === "text") return part.text;
    throw faulty(`${provider} takes only text in a message of role ${message.role}.`);
  });
  return texts.join("\n");
}

export function callsOf(message: Message): readonly Call[] {
  const calls = message.tool_calls ?? [];
  if (calls.length > 0) return calls.map((call) => callOf(call.function, call.id));
  return message.function_call ? [callOf(message.function_call, null)] : [];
}

function callOf(called: unknown, id: unknown): Call {
  if (!isRecord(called) || typeof called.name !== "string") throw faulty("A tool call has no function name.");
  const text = called.arguments ?? "";
  if (typeof text !== "string") throw faulty(`The arguments of the call of ${called.name} are not JSON text.`);
  return { id: typeof id === "string" ? id : null, name: called.name, arguments: text.trim() === "" ? "{}" : text };
}

/** A message that cannot be sent on as it stands. */
export const faulty = (words: string): GatewayError =>
  new GatewayError("invalid_request", words, { param: "messages" });
