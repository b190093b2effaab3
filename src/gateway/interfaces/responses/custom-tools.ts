import type { ResponseTool } from "../../../contract/responses.ts";
import { isRecord } from "../../../lib/json.ts";

/** A tool that takes a text and no fields is, in a chat, a function of one text. */
export function customTool({ name, description, format }: ResponseTool): Record<string, unknown> {
  const grammar =
    isRecord(format) && typeof format.definition === "string"
      ? `\n\nThe input keeps to this grammar (${String(format.syntax)}):\n${format.definition}`
      : "";
  return {
    type: "function",
    function: {
      name,
      description: `${typeof description === "string" ? description : ""}${grammar}`,
      parameters: {
        type: "object",
        properties: { input: { type: "string", description: "The whole input of the tool, as it is." } },
        required: ["input"],
        additionalProperties: false,
      },
    },
  };
}

export const customArguments = (input: string): string => JSON.stringify({ input });

/** The text of a call; all that the model wrote, where it has not kept to the form. */
export function customInput(given: string): string {
  try {
    const fields: unknown = JSON.parse(given);
    return isRecord(fields) && typeof fields.input === "string" ? fields.input : given;
  } catch {
    return given;
  }
}
