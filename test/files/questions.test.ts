import { expect, test } from "bun:test";
import { documents, isIn } from "../../bench/file-search/documents.ts";

const { files, questions } = documents();

test("the benchmark of file search has a hundred documents", () => {
  expect(files.size).toBe(100);
});

test.each(questions.map((one) => [one.question, one] as const))("%s: its passage is in its document", (_, one) => {
  expect(isIn(one.passage, files.get(one.file) ?? "")).toBe(true);
});
