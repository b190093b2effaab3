export const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      type: "function",
      function: {
        name: "get_weather",
        description: "The weather in a city.",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    },
  ],
  null,
  2,
);

/** What is wrong with the tools, in words; null when nothing is. */
export function faultOfTools(text: string): string | null {
  if (text.trim() === "") return null;
  try {
    return Array.isArray(JSON.parse(text)) ? null : "Tools are a list: [ … ].";
  } catch {
    return "This is not JSON yet.";
  }
}
