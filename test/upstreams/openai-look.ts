import { isRecord } from "../../src/lib/json.ts";
import type { Fields } from "./openai-checks.ts";
import type { Seen } from "./script.ts";

/** What the model of a chat sees. */
export function lookAtChat(body: Fields): Seen {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
  const textsOf = (...roles: readonly string[]) =>
    messages.filter(({ role }) => roles.includes(String(role))).map(({ content }) => textOf(content));
  const tools = Array.isArray(body.tools) ? body.tools : [];
  return {
    model: String(body.model),
    userText: textsOf("user").at(-1) ?? "",
    systemText: textsOf("system", "developer").join("\n"),
    tools: tools.map((tool: unknown) => (isRecord(tool) && isRecord(tool.function) ? String(tool.function.name) : "")),
    toolResults: textsOf("tool", "function"),
    images: messages.reduce((count, { content }) => count + imagesIn(content), 0),
    stream: body.stream === true,
    body,
  };
}

/** What a model of another kind sees: one text. */
export const lookAtText = (body: Fields, text: unknown): Seen => ({
  model: String(body.model),
  userText: typeof text === "string" ? text : JSON.stringify(text ?? ""),
  systemText: "",
  tools: [],
  toolResults: [],
  images: 0,
  stream: body.stream === true || body.stream === "true",
  body,
});

export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: unknown) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("");
}

const imagesIn = (content: unknown): number =>
  Array.isArray(content) ? content.filter((part: unknown) => isRecord(part) && part.type === "image_url").length : 0;
