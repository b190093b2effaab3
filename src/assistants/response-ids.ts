import { newNamedId } from "../lib/ids.ts";

const RESPONSE = "resp_";
/** Items that were put in stand behind all that can come out. */
const INPUT_FROM = 0x8000;
const NUMBER_CHARS = 4;

export const newResponseId = (): string => newNamedId(RESPONSE);

/** What is none is never looked for: not every database takes every character. */
export const isResponseId = (id: string): boolean => /^resp_[0-9a-f]{32}$/.test(id);

/** The id of an item names its response: who refers to one by its id alone needs no list of them all. */
export const itemId = (prefix: string, responseId: string, at: number): string =>
  `${prefix}_${responseId.slice(RESPONSE.length)}${at.toString(16).padStart(NUMBER_CHARS, "0")}`;

export const inputItemId = (prefix: string, responseId: string, at: number): string =>
  itemId(prefix, responseId, INPUT_FROM + at);

/** The response that an item is of, if it is one of ours. */
export function responseOf(id: string): string | null {
  const [, made] = /^[a-z]+_([0-9a-f]{32})[0-9a-f]{4,}$/.exec(id) ?? [];
  return made === undefined ? null : RESPONSE + made;
}
