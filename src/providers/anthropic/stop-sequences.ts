/** Those that Anthropic takes; an empty one stops nothing anywhere. */
export const stopSequences = (stop: unknown): readonly unknown[] =>
  listOf(stop).filter((item) => typeof item === "string" && item.trim() !== "");

/** Whether there is one of white space alone, which Anthropic refuses. */
export const hasBlank = (stop: unknown): boolean =>
  listOf(stop).some((item) => typeof item === "string" && item !== "" && item.trim() === "");

const listOf = (stop: unknown): readonly unknown[] => (Array.isArray(stop) ? stop : stop === undefined ? [] : [stop]);
