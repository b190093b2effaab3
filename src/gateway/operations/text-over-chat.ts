import type { ChatAnswer, ChatChunk } from "../../contract/chat.ts";
import { OPENAI_PARAMS } from "../../contract/params.ts";
import { insistedOn } from "../../providers/extra-fields.ts";
import type { Fields } from "../call/gateway.ts";

/** Parameters of a text completion that a chat does not have. */
const TEXT_ONLY = new Set(["prompt", "best_of", "echo", "suffix", "logprobs"]);

/** Parameters of a chat that a text completion does not have, and whose values nobody has looked at. */
const CHAT_ONLY = new Set<string>(
  OPENAI_PARAMS.chat.filter((name) => !(OPENAI_PARAMS.completion as readonly string[]).includes(name)),
);

/** The fields of a text completion as a chat with one user message, with what is insisted on. */
export function toChatFields(fields: Fields, prompt: string): Fields {
  // A copy of all of them: what is insisted on is marked beside the fields.
  const chat: Record<string, unknown> = { ...fields };
  const insisted = insistedOn(fields);
  for (const name in chat) {
    if ((TEXT_ONLY.has(name) || CHAT_ONLY.has(name)) && !insisted.includes(name)) delete chat[name];
  }
  chat.messages = [{ role: "user", content: prompt }];
  return chat;
}

const textId = (id: string): string => id.replace(/^chatcmpl-/, "cmpl-");

export const toTextAnswer = (answer: ChatAnswer, model: string): object => ({
  id: textId(answer.id),
  object: "text_completion",
  created: answer.created,
  model,
  choices: answer.choices.map((choice) => ({
    index: choice.index,
    text: typeof choice.message.content === "string" ? choice.message.content : "",
    finish_reason: choice.finish_reason,
    logprobs: null,
  })),
  ...(answer.usage ? { usage: answer.usage } : {}),
});

/** A chunk that has neither text, nor an end, nor usage is nothing in a stream of text. */
export function toTextChunk(chunk: ChatChunk, model: string): object | null {
  const choices = chunk.choices
    .filter((choice) => choice.finish_reason !== null || (choice.delta.content ?? "") !== "")
    .map((choice) => ({
      index: choice.index,
      text: choice.delta.content ?? "",
      finish_reason: choice.finish_reason,
      logprobs: null,
    }));
  if (choices.length === 0 && !chunk.usage) return null;
  return {
    id: textId(chunk.id),
    object: "text_completion",
    created: chunk.created,
    model,
    choices,
    ...(chunk.usage ? { usage: chunk.usage } : {}),
  };
}
