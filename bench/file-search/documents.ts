import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { handbook } from "./handbook.ts";
import listed from "./questions.json" with { type: "json" };

const root = fileURLToPath(new URL("../..", import.meta.url));
const DOCUMENTS = 100;

export interface Question {
  readonly question: string;
  readonly file: string;
  /** Words that the right passage has. */
  readonly passage: string;
}

/** The project's own documents, and as many generated ones as make a hundred. */
export function documents(): { readonly files: ReadonlyMap<string, string>; readonly questions: readonly Question[] } {
  const markdown = (folder: string) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md") && name !== "RESULTS.md")
      .map((name) => join(folder, name));
  const paths = [
    ...markdown("."),
    ...markdown("docs"),
    ...markdown("docs/decisions").filter((path) => !/README/.test(path)),
  ];
  const files = new Map(paths.map((path) => [basename(path), readFileSync(join(root, path), "utf8")]));
  const pages = handbook(DOCUMENTS - files.size);
  for (const { file, text } of pages) files.set(file, text);
  const generated = pages.flatMap(({ file, questions }) => questions.map((one) => ({ ...one, file })));
  return { files, questions: [...listed, ...generated] };
}

/** Lines are broken anywhere. */
export const isIn = (passage: string, text: string): boolean => oneLine(text).includes(oneLine(passage));
const oneLine = (text: string): string => text.replace(/\s+/g, " ");
