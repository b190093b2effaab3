import type { Message } from "../../contract/chat.ts";
import { callsOf, faulty, messageText, type Part, partsOf } from "../openai-form/messages.ts";

const TITLE = "Cohere";

/** A message in Cohere's form. */
type CohereMessage = Readonly<Record<string, unknown>> & {
  readonly role: "system" | "user" | "assistant" | "tool";
};

/**
 * Our messages in Cohere's form. Its system message has to be the first, so all of them become one; an assistant message
 * without a word is refused there and means nothing, so it is left out.
 */
export function cohereMessages(messages: readonly Message[], instruction: string | null): readonly CohereMessage[] {
  const system: string[] = [];
  const turns: CohereMessage[] = [];
  // The older interface has one call at a time and no ids: a result belongs to the call before it.
  let olderCallId: string | null = null;
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case "system":
      case "developer":
        system.push(messageText(message, TITLE));
        break;
      case "user":
        turns.push({ role: "user", content: userContent(message) });
        break;
      case "assistant": {
        const calls = callsOf(message).map((call) => ({ ...call, id: call.id ?? `call_${index}` }));
        if (message.function_call) olderCallId = `call_${index}`;
        const turn = assistantTurn(message, calls);
        if (turn !== null) turns.push(turn);
        break;
      }
      case "tool":
      case "function": {
        const id = message.tool_call_id ?? olderCallId;
        if (id === null) throw faulty(`A message of role ${message.role} does not say which call it answers.`);
        turns.push({ role: "tool", tool_call_id: id, content: toolContent(message) });
      }
    }
  }
  if (instruction !== null) system.push(instruction);
  const said = system.filter((text) => text !== "");
  // Instructions alone are no conversation; as the user's words they are.
  if (turns.length === 0) return [{ role: "user", content: said.join("\n\n") }];
  return said.length === 0 ? turns : [{ role: "system", content: said.join("\n\n") }, ...turns];
}

function userContent(message: Message): unknown {
  const parts = partsOf(message);
  if (parts.every((part) => part.kind === "text")) return parts.map(({ text }) => text).join("\n");
  return parts.map((part) => {
    if (part.kind === "text") return { type: "text", text: part.text };
    if (part.kind !== "image") throw refused(part, "user");
    return {
      type: "image_url",
      image_url: { url: part.url, ...(part.detail === null ? {} : { detail: part.detail }) },
    };
  });
}

/**
 * Beside calls Cohere has one text, the plan: what the model thought and said before it called. Without calls the
 * reasoning is left out, as a finished turn does not need it and most models refuse it.
 */
function assistantTurn(
  message: Message,
  calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[],
): CohereMessage | null {
  const text = partsOf(message)
    .map((part) => {
      if (part.kind !== "text") throw refused(part, "assistant");
      return part.text;
    })
    .join("\n");
  if (calls.length === 0) return text === "" ? null : { role: "assistant", content: text };
  const plan = [message.tool_plan ?? message.reasoning_content, text].filter(
    (words) => typeof words === "string" && words,
  );
  return {
    role: "assistant",
    ...(plan.length === 0 ? {} : { tool_plan: plan.join("\n\n") }),
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}

/** Results may be Cohere's own documents, which can then be cited one by one. */
function toolContent(message: Message): unknown {
  const parts = partsOf(message);
  if (parts.every((part) => part.kind === "text")) return parts.map(({ text }) => text).join("\n");
  return parts.map((part) => {
    if (part.kind === "text") return { type: "text", text: part.text };
    if (part.kind === "other" && part.type === "document") return part.part;
    throw refused(part, "tool");
  });
}

function refused(part: Part, role: string): Error {
  const type = part.kind === "other" ? part.type : part.kind;
  return faulty(`${TITLE} does not take a part of type ${type} in a message of role ${role}.`);
}
