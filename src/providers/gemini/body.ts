import type { ChatRequest, Message } from "../../contract/chat.ts";
import { encodeMessages } from "./contents.ts";
import { formatInstruction, generationConfig } from "./generation-config.ts";
import { modelTraits } from "./model.ts";
import { ownFields } from "./own-fields.ts";
import { encodeTools } from "./tools.ts";

/** The body of `generateContent`. What the caller says in Google's own fields wins over what OpenAI's parameters say. */
export function encodeBody(request: ChatRequest, model: string, takesCallIds: boolean): Record<string, unknown> {
  const traits = modelTraits(model);
  const { system, contents } = encodeMessages(request.messages as readonly Message[], { traits, takesCallIds });
  const { tools, toolConfig } = encodeTools(request, traits);
  const own = ownFields(request);
  const instruction = formatInstruction(request, traits);
  const instructions = instruction === null ? system : [...system, { text: instruction }];
  const body: Record<string, unknown> = { contents };
  if (instructions.length > 0) body.systemInstruction = { parts: instructions };
  if (tools !== undefined) body.tools = tools;
  addJoined(body, "toolConfig", toolConfig, own.toolConfig);
  addJoined(body, "generationConfig", generationConfig(request, traits), own.generationConfig);
  for (const name in own.rest) body[name] = own.rest[name];
  return body;
}

function addJoined(body: Record<string, unknown>, name: string, ours: object = {}, own: object): void {
  const isOurs = Object.keys(ours).length > 0;
  const isOwn = Object.keys(own).length > 0;
  if (isOurs || isOwn) body[name] = !isOwn ? ours : { ...ours, ...own };
}
