import type { Message } from "../../contract/chat.ts";
import { argumentsObject } from "../openai-form/call-arguments.ts";
import { callsOf, faulty, messageText, partsOf } from "../openai-form/messages.ts";

const TITLE = "Ollama";

/** Our messages in Ollama's form: content is one text, media lie beside it, results are joined to calls by name. */
export function ollamaMessages(messages: readonly Message[]): readonly object[] {
  const namesById = new Map<string, string>();
  return messages.map((message) => ollamaMessage(message, namesById));
}

function ollamaMessage(message: Message, namesById: Map<string, string>): object {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: messageText(message, TITLE) };
    case "user":
      return { role: "user", ...contentOf(message) };
    case "assistant": {
      const calls = callsOf(message);
      for (const call of calls) if (call.id !== null) namesById.set(call.id, call.name);
      return {
        role: "assistant",
        content: messageText(message, TITLE),
        thinking: message.reasoning_content || undefined,
        tool_calls: calls.length === 0 ? undefined : calls.map(ollamaCall),
      };
    }
    case "tool":
    case "function": {
      const id = message.tool_call_id ?? undefined;
      const name = namesById.get(id ?? "") ?? message.name ?? undefined;
      return { role: "tool", ...contentOf(message), tool_name: name, tool_call_id: id };
    }
  }
}

/** Newer versions keep the id of a call for models that need it; older ones pass over it. */
function ollamaCall(call: ReturnType<typeof callsOf>[number]): object {
  return { id: call.id ?? undefined, function: { name: call.name, arguments: argumentsObject(call.arguments) } };
}

/** Pictures and sounds share one list of base64 texts: the server tells them apart by their bytes. */
function contentOf(message: Message): { readonly content: string; readonly images?: readonly string[] } {
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of partsOf(message)) {
    if (part.kind === "text") texts.push(part.text);
    else if (part.kind === "image") images.push(base64Of(part.url));
    else if (part.kind === "audio") images.push(part.data);
    else throw faulty(`${TITLE} does not take a part of type ${part.type}.`);
  }
  const content = texts.join("\n");
  return images.length === 0 ? { content } : { content, images };
}

const DATA_URL = /^data:[^,]*;base64,/i;

/** The gateway has put pictures into the request by now; what still is an address cannot be sent. */
function base64Of(url: string): string {
  const prefix = DATA_URL.exec(url)?.[0] ?? "";
  if (prefix === "" && /^[a-z][a-z0-9+.-]*:/i.test(url)) {
    throw faulty(`${TITLE} takes pictures only inside the request, as a base64 data URL.`);
  }
  return url.slice(prefix.length);
}
