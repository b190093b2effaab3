import { countTokens } from "../../catalog/tokenizer.ts";
import type { Operation } from "../../contract/params.ts";
import { isRecord } from "../../lib/json.ts";
import type { Fields } from "../call/gateway.ts";
import {
  type CountedPrompt,
  type Media,
  NO_MEDIA,
  PICTURE_HIGH,
  type PromptTexts,
  promptTexts,
} from "./prompt-texts.ts";

/** Bytes of text per token: never fewer than one, in most languages about four, seldom more than six. */
const BYTES_ABOUT = 4;
const BYTES_MOST = 6;
/** Of recorded speech a second takes about this much, and hardly ever less than a tenth of it. */
const SOUND_BYTES_ABOUT = 16_000;
const SOUND_BYTES_LEAST = 2_000;

/** How much of everything a request asks for, before it is sent. */
export interface PromptMeasure {
  readonly texts: readonly string[];
  readonly bytes: number;
  /** The tokenizer's count of the texts; null until a call needs it. */
  counted: number | null;
  /** Tokens that no text stands for. */
  readonly extraTokens: number;
  readonly media: Media;
  /** Code points that are to be spoken. */
  readonly characters: number;
}

/** The files that come with a request. */
export interface Uploaded {
  /** That is to be written down. */
  readonly sound: AudioDuration;
  readonly pictures: number;
}

export interface AudioDuration {
  readonly atMostMs: number;
  readonly aboutMs: number;
}

export const NO_SOUND: AudioDuration = { atMostMs: 0, aboutMs: 0 };
export const NOTHING_UPLOADED: Uploaded = { sound: NO_SOUND, pictures: 0 };

export function measurePrompt(operation: Operation, fields: Fields, { pictures } = NOTHING_UPLOADED): PromptMeasure {
  const prompt = readPrompt(operation, fields);
  const { texts, media } = prompt;
  const extraTokens = prompt.extraTokens + pictures * PICTURE_HIGH;
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  const characters = operation === "speech" ? countCharacters(texts[0] ?? "") : 0;
  return { texts, bytes, counted: null, extraTokens, media, characters };
}

/** What a prompt may use at a deployment depends on these. */
export interface ModelLimits {
  readonly provider: string;
  readonly upstreamModel: string;
  /** The context window; null: not known. */
  readonly maxInputTokens: number | null;
}

/** The context window that is assumed where none is known. */
export const CONTEXT_WINDOW = 1_048_576;

/** The most tokens that a provider bills for one image. The first name that fits counts. */
const IMAGE_TOKENS: readonly (readonly [model: RegExp, tokens: number])[] = [
  // 2,833 tokens and 5,667 for each of eight tiles.
  [/gpt-4o-mini/, 48_169],
  [/claude/, 4_784],
  [/gemini/, 5_120],
];
const IMAGE_TOKENS_OF_OTHERS = 16_384;

const imageTokens = (model: string): number =>
  IMAGE_TOKENS.find(([pattern]) => pattern.test(model))?.[1] ?? IMAGE_TOKENS_OF_OTHERS;

/** Models that are known to use the gateway's tokenizer. */
const SAME_TOKENIZER = /(^|[/.])(gpt-|chatgpt|o\d)/;
const isSameTokenizer = ({ provider, upstreamModel }: ModelLimits): boolean =>
  provider === "echo" || SAME_TOKENIZER.test(upstreamModel);
/** Other tokenizers hardly ever make more than this of one of its tokens. */
const OTHER_TOKENIZER_FACTOR = 2;

/**
 * An upper bound of the tokens of a prompt. Each byte may be a token, unless the tokenizer has counted the texts.
 * Content that the gateway cannot see may fill the context window.
 */
export function tokensAtMost({ bytes, counted, extraTokens, media }: PromptMeasure, limits: ModelLimits): number {
  const { upstreamModel, maxInputTokens } = limits;
  const format = extraTokens - media.aboutTokens;
  const images = media.images === 0 ? 0 : media.images * imageTokens(upstreamModel);
  const factor = counted !== null && !isSameTokenizer(limits) ? OTHER_TOKENIZER_FACTOR : 1;
  const texts = counted === null ? bytes : Math.min(bytes, counted * factor);
  const seen = texts + format + media.otherBytes + images;
  return media.remote === 0 ? seen : Math.max(seen, maxInputTokens ?? CONTEXT_WINDOW);
}

/** Not more than there are, as far as can be known at once. */
export const tokensAtLeast = ({ bytes, extraTokens }: PromptMeasure): number =>
  Math.floor(bytes / BYTES_MOST) + extraTokens;

/** For what has to be charged without a count. */
export const estimateTokens = ({ bytes, extraTokens }: Pick<PromptMeasure, "bytes" | "extraTokens">): number =>
  Math.ceil(bytes / BYTES_ABOUT) + extraTokens;

/** The tokens of the texts by the tokenizer, which counts them once. */
export async function countExactly(
  measure: Pick<PromptMeasure, "texts" | "counted" | "extraTokens">,
  signal?: AbortSignal,
): Promise<number> {
  measure.counted ??= await countTexts(measure.texts, signal);
  return measure.extraTokens + measure.counted;
}

async function countTexts(texts: readonly string[], signal?: AbortSignal): Promise<number> {
  let total = 0;
  for (const text of texts) total += await countTokens(text, signal);
  return total;
}

/** How long a sound is; by the size of its file where that is all that is known. */
export function soundLength(bytes: number, knownMs: number | null): AudioDuration {
  if (knownMs !== null) return { atMostMs: knownMs, aboutMs: knownMs };
  const msAt = (perSecond: number): number => Math.ceil((bytes * 1000) / perSecond);
  return { atMostMs: msAt(SOUND_BYTES_LEAST), aboutMs: msAt(SOUND_BYTES_ABOUT) };
}

/** What was listened to, where subtitles tell when the last word was said: silence behind it is listened to as well. */
export function listenedMs({ atMostMs, aboutMs }: AudioDuration, lastWordMs: number | undefined): number {
  if (lastWordMs === undefined) return aboutMs;
  const isKnown = atMostMs === aboutMs;
  return isKnown ? Math.max(lastWordMs, aboutMs) : lastWordMs;
}

function readPrompt(operation: Operation, fields: Fields): PromptTexts {
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
function listed(input: unknown): PromptTexts {
  const found = { texts: [] as string[], extraTokens: 0, media: NO_MEDIA };
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
