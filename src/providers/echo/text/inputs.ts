import { badRequest } from "../failure.ts";
import { tokenize } from "./tokenize.ts";

/** A text together with the pieces that it is counted by. */
export interface TextInput {
  readonly text: string;
  readonly pieces: readonly string[];
}

const INPUTS_MAX = 2048;

/**
 * `prompt` and `input` of OpenAI's older operations: a text, token numbers, or a list of either. The numbers belong to
 * some other tokenizer, so number 123 reads as the piece `<123>`; each counts as one token.
 */
export function parseInputs(value: unknown, param: string): readonly TextInput[] {
  if (typeof value === "string") return [fromText(value)];
  if (!Array.isArray(value) || value.length === 0) throw wrongInput(param);
  const list: readonly unknown[] = value;
  if (isTokens(list)) return [fromTokens(list)];
  if (list.length > INPUTS_MAX)
    throw badRequest(`'${param}' takes at most ${INPUTS_MAX} texts.`, param, "array_above_max_length");
  return list.map((item) => {
    if (typeof item === "string") return fromText(item);
    if (Array.isArray(item) && item.length > 0 && isTokens(item)) return fromTokens(item);
    throw wrongInput(param);
  });
}

export function countInputs(inputs: readonly TextInput[]): number {
  return inputs.reduce((sum, { pieces }) => sum + pieces.length, 0);
}

function fromText(text: string): TextInput {
  return { text, pieces: tokenize(text) };
}

function fromTokens(tokens: readonly number[]): TextInput {
  const pieces = tokens.map((token) => `<${token}>`);
  return { text: pieces.join(""), pieces };
}

function isTokens(list: readonly unknown[]): list is readonly number[] {
  return list.every((item) => typeof item === "number" && Number.isInteger(item) && item >= 0);
}

function wrongInput(param: string): Error {
  return badRequest(`'${param}' must be a text, a list of texts, or lists of token numbers.`, param, "invalid_type");
}
