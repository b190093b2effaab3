/** Whether a choice has ended, by what it says of it: some servers send `""` or `"null"` with every chunk. */
export const tellsEnd = (reason: unknown): boolean => typeof reason === "string" && reason !== "" && reason !== "null";

/** The same in the text of chunks. */
export const TOLD_END = /"finish_reason"\s*:\s*"(?!"|null")/g;
