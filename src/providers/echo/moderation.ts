import type { EchoCall } from "./call.ts";
import { badRequest } from "./failure.ts";
import { findText, isFields } from "./fields.ts";

/**
 * The words and phrases that flag each of OpenAI's categories. A rule this simple keeps nobody safe: it is there so that
 * code which reads moderation results can be tried offline.
 */
export const FLAGGED_PHRASES = {
  harassment: ["idiot", "loser", "shut up"],
  "harassment/threatening": ["kill you", "hurt you"],
  hate: ["hate", "hateful", "vermin"],
  "hate/threatening": ["exterminate", "kill them all"],
  illicit: ["shoplift", "counterfeit", "cocaine"],
  "illicit/violent": ["bomb", "grenade"],
  "self-harm": ["suicide", "hurt myself", "kill myself"],
  "self-harm/intent": ["want to die", "kill myself"],
  "self-harm/instructions": ["how to kill myself"],
  sexual: ["porn", "nude"],
  "sexual/minors": ["child porn"],
  violence: ["kill", "murder", "stab", "shoot"],
  "violence/graphic": ["gore", "dismember", "blood everywhere"],
} as const satisfies Record<string, readonly string[]>;

const FLAG_SCORE = 0.5;
const QUIET_SCORE = 0.0001;

/** `POST /moderations`. */
export function moderation({ body, newId }: EchoCall): Response {
  return Response.json({
    id: `modr-${newId()}`,
    model: findText(body, "model") ?? "echo-moderation",
    results: parseModerationInput(body.input).map(moderate),
  });
}

export function moderate(text: string) {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const scores = mapCategories((phrases) => score(words, phrases));
  const categories = Object.fromEntries(Object.entries(scores).map(([name, value]) => [name, value >= FLAG_SCORE]));
  const inputTypes = text === "" ? [] : ["text"];
  return {
    flagged: Object.values(categories).some(Boolean),
    categories,
    category_scores: scores,
    category_applied_input_types: mapCategories(() => inputTypes),
  };
}

/** 0.75 for one hit, and nearer to 1 with each further one. */
function score(words: readonly string[], phrases: readonly string[]): number {
  const hits = phrases.reduce((sum, phrase) => sum + countPhrase(words, phrase.split(" ")), 0);
  return hits === 0 ? QUIET_SCORE : 1 - 0.5 ** (hits + 1);
}

function countPhrase(words: readonly string[], phrase: readonly string[]): number {
  let count = 0;
  for (let start = words.indexOf(phrase[0] ?? ""); start >= 0; start = words.indexOf(phrase[0] ?? "", start + 1)) {
    if (phrase.every((word, at) => words[start + at] === word)) count++;
  }
  return count;
}

function mapCategories<T>(value: (phrases: readonly string[]) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(FLAGGED_PHRASES).map(([name, phrases]) => [name, value(phrases)]));
}

/** One result for each text of a list; parts of one message are judged together. Pictures are not looked at. */
function parseModerationInput(input: unknown): readonly string[] {
  if (typeof input === "string") return [input];
  if (!Array.isArray(input) || input.length === 0) throw wrongInput();
  if (input.every((item) => typeof item === "string")) return input;
  return [input.map(partText).filter(Boolean).join(" ")];
}

function partText(part: unknown): string {
  if (isFields(part) && part.type === "text" && typeof part.text === "string") return part.text;
  if (isFields(part) && part.type === "image_url") return "";
  throw wrongInput();
}

function wrongInput(): Error {
  return badRequest(
    "'input' must be a text, a list of texts, or a list of text and image parts.",
    "input",
    "invalid_type",
  );
}
