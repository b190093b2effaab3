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
  const generation = { ...generationConfig(request, traits), ...own.generationConfig };
  const calling = { ...toolConfig, ...own.toolConfig };
  return {
    contents,
    ...(instructions.length > 0 ? { systemInstruction: { parts: instructions } } : {}),
    ...(tools === undefined ? {} : { tools }),
    ...(Object.keys(calling).length > 0 ? { toolConfig: calling } : {}),
    ...(Object.keys(generation).length > 0 ? { generationConfig: generation } : {}),
    ...own.rest,
  };
}
