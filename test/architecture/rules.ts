import type { Rule } from "./rule.ts";
import { largeFolders, longFunctions, longParameterLists, smallFiles } from "./size-rules.ts";
import { longParagraphs, longProseLines, longSentences, wordsInNames, wordsInProse } from "./text-rules.ts";

/** The rules with an allowance for each folder. */
export const RULES: readonly Rule[] = [
  longFunctions,
  longParameterLists,
  smallFiles,
  largeFolders,
  longProseLines,
  longSentences,
  longParagraphs,
  wordsInNames,
  wordsInProse,
];
