import type { Fields } from "../call/gateway.ts";

/** How many choices a whole answer has: `n` of them for each prompt. */
export function choicesOf({ n, prompt }: Fields): number {
  const isList = Array.isArray(prompt) && prompt.length > 0 && typeof prompt[0] !== "number";
  return (typeof n === "number" ? n : 1) * (isList ? prompt.length : 1);
}
