import { countTokens } from "../../catalog/tokenizer.ts";
import type { Operation } from "../../contract/params.ts";
import { isRecord } from "../../lib/json.ts";
import type { Fields } from "../deps.ts";
import { type CountedPrompt, PICTURE_HIGH, promptTexts } from "../prompt-texts.ts";

/** Bytes of text for one token: seldom fewer than three, in most languages about four, seldom more than six. */
const BYTES_LEAST = 3;
const BYTES_ABOUT = 4;
const BYTES_MOST = 6;
/** Of recorded speech a second takes about this much, and hardly ever less than a tenth of it. */
const SOUND_BYTES_ABOUT = 16_000;
const SOUND_BYTES_LEAST = 2_000;

/** How much of everything a request asks for, before it is sent. */
export interface PromptMeasure {
  readonly texts: readonly string[];
  readonly bytes: number;
  /** Tokens that no text stands for. */
  readonly extraTokens: number;
  /** Code points that are to be spoken. */
  readonly characters: number;
}

/** The files that come with a request. */
export interface Uploaded {
  /** That is to be written down. */
  readonly sound: SoundLength;
  readonly pictures: number;
}

export interface SoundLength {
  readonly atMostMs: number;
  readonly aboutMs: number;
}

export const NO_SOUND: SoundLength = { atMostMs: 0, aboutMs: 0 };
export const NOTHING_UPLOADED: Uploaded = { sound: NO_SOUND, pictures: 0 };

export function measurePrompt(operation: Operation, fields: Fields, { pictures } = NOTHING_UPLOADED): PromptMeasure {
  const prompt = readPrompt(operation, fields);
  const { texts } = prompt;
  const extraTokens = prompt.extraTokens + pictures * PICTURE_HIGH;
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return { texts, bytes, extraTokens, characters: operation === "speech" ? countCharacters(texts[0] ?? "") : 0 };
}

/** Not fewer than there are, for all that can be known at once. */
export const tokensAtMost = ({ bytes, extraTokens }: PromptMeasure): number =>
  Math.ceil(bytes / BYTES_LEAST) + extraTokens;

/** Not more than there are, in the same way. */
export const tokensAtLeast = ({ bytes, extraTokens }: PromptMeasure): number =>
  Math.floor(bytes / BYTES_MOST) + extraTokens;

/** For what has to be charged without a count. */
export const tokensAbout = ({ bytes, extraTokens }: Pick<PromptMeasure, "bytes" | "extraTokens">): number =>
  Math.ceil(bytes / BYTES_ABOUT) + extraTokens;

/** The tokenizer's count; for what was answered whole without a count of the upstream's. */
export async function countExactly({
  texts,
  extraTokens,
}: Pick<PromptMeasure, "texts" | "extraTokens">): Promise<number> {
  let total = extraTokens;
  for (const text of texts) total += await countTokens(text);
  return total;
}

/** How long a sound is; by the size of its file where that is all that is known. */
export function soundLength(bytes: number, knownMs: number | null): SoundLength {
  if (knownMs !== null) return { atMostMs: knownMs, aboutMs: knownMs };
  const msAt = (perSecond: number): number => Math.ceil((bytes * 1000) / perSecond);
  return { atMostMs: msAt(SOUND_BYTES_LEAST), aboutMs: msAt(SOUND_BYTES_ABOUT) };
}

/** What was listened to, where subtitles tell when the last word was said: silence behind it is listened to as well. */
export function listenedMs({ atMostMs, aboutMs }: SoundLength, lastWordMs: number | undefined): number {
  if (lastWordMs === undefined) return aboutMs;
  const isKnown = atMostMs === aboutMs;
  return isKnown ? Math.max(lastWordMs, aboutMs) : lastWordMs;
}

function readPrompt(operation: Operation, fields: Fields): { texts: readonly string[]; extraTokens: number } {
  switch (operation) {
    case "chat":
      return promptTexts(fields as CountedPrompt);
    case "completion":
    case "image":
    case "image_edit":
    case "transcription":
    case "translation":
      return listed(fields.prompt);
    case "rerank":
      return listed([fields.query, ...(Array.isArray(fields.documents) ? fields.documents : [])]);
    default:
      return listed(fields.input);
  }
}

/** Texts and token arrays, alone or in a list; of an object, its text. */
function listed(input: unknown): { texts: string[]; extraTokens: number } {
  const found = { texts: [] as string[], extraTokens: 0 };
  const add = (one: unknown): void => {
    if (typeof one === "string") found.texts.push(one);
    else if (typeof one === "number") found.extraTokens++;
    else if (Array.isArray(one)) one.forEach(add);
    else if (isRecord(one) && typeof one.text === "string") found.texts.push(one.text);
  };
  add(input);
  return found;
}

/** As people count them, and as speech is charged: a pair of surrogates is one. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
