import type { Citation } from "./records.ts";
import type { FoundPassage, StepCall } from "./run-records.ts";

export const SEARCH_NAME = "file_search";

/** The search as models see it: a function like any other. */
export const searchTool = () => ({
  type: "function",
  function: {
    name: SEARCH_NAME,
    description:
      "Searches the files of this conversation and gives the passages that fit best. Cite a passage that you use by " +
      "repeating its mark, such as 【0:1†notes.md】, behind the sentence.",
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: "What to look for, in plain words." } },
      required: ["query"],
    },
  },
});

const markOf = (call: number, index: number, { fileName }: FoundPassage): string =>
  `【${call}:${index}†${fileName.replaceAll("】", "]")}】`;

/** What the model reads of a search. */
export const tellResults = (results: readonly FoundPassage[], call: number): string =>
  results.length === 0
    ? "Nothing was found."
    : results.map((passage, index) => `${markOf(call, index, passage)}\n${passage.text}`).join("\n\n");

/** What is asked for in the arguments of a call; models do not always write JSON. */
export function queryOf(args: string): string {
  try {
    const parsed: unknown = JSON.parse(args);
    const query = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "query") : parsed;
    return typeof query === "string" ? query : args;
  } catch {
    return args;
  }
}

const MARK = /【(\d+):(\d+)†[^】]*】/g;

/** The passages that a text refers to by their marks. */
export function citationsIn(text: string, calls: readonly StepCall[][]): Citation[] {
  return [...text.matchAll(MARK)].flatMap((found) => {
    const passage = calls
      .map((step) => step[Number(found[1])])
      .flatMap((call) => (call?.type === "file_search" ? [call.results?.[Number(found[2])]] : []))
      .findLast((one) => one !== undefined && found[0].includes(`†${one.fileName.replaceAll("】", "]")}】`));
    if (!passage) return [];
    const start = found.index;
    return [
      {
        type: "file_citation" as const,
        text: found[0],
        start_index: start,
        end_index: start + found[0].length,
        file_citation: { file_id: passage.fileId },
      },
    ];
  });
}
