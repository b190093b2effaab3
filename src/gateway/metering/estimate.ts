import type { ServiceTier } from "../../catalog/price.ts";
import { findPrice, type PriceComponent, type Prices, priceAt } from "../../catalog/price.ts";
import { type Operation, takesAudio } from "../../contract/params.ts";
import { type CallUnits, type ChargedUnits, NO_UNITS } from "../../contract/usage.ts";
import type { Fields } from "../call/gateway.ts";
import { estimateTokens, type PromptMeasure, type Uploaded } from "./prompt-size.ts";
import { PICTURE_HIGH } from "./prompt-texts.ts";
import { readTier } from "./reported-usage.ts";
import { searchesAtMost } from "./search-units.ts";

/** Speech runs at about fifteen characters a second, and a second of sound is some ten to twenty tokens. */
const CHARACTERS_PER_SECOND = 15;
const TOKENS_PER_SECOND_SPOKEN = 21;
const TOKENS_PER_SECOND_HEARD = 10;
/** Of a session: no response has more, unless it is asked to. */
const TOKENS_PER_RESPONSE = 4_096;
/** A picture that is to be kept to faithfully is read a second time, as so many tokens at most. */
const TOKENS_PER_FAITHFUL_PICTURE = 6_240;

/** A square of 1,024 pixels, of middling quality. */
const TOKENS_PER_DRAWN_PICTURE = 1_056;

/** About what pictures come to that were drawn and not counted in tokens. */
export function imageUnits(images: number): Pick<ChargedUnits, "completionTokens" | "imageOutputTokens"> {
  const tokens = images * TOKENS_PER_DRAWN_PICTURE;
  return { completionTokens: tokens, imageOutputTokens: tokens };
}

/** What an estimate is made of. */
export interface Asked {
  readonly operation: Operation;
  readonly fields: Fields;
  readonly measure: PromptMeasure;
  readonly uploaded: Uploaded;
}

/** The most tokens of a prompt, and of each response, at one deployment. */
export interface TokenBounds {
  readonly promptTokens: number;
  readonly outputMax: number;
}

/** An upper bound of what a call uses, for the credit that is held for it. */
export function unitsAtMost(asked: Asked, prices: Prices, { promptTokens, outputMax }: TokenBounds): ChargedUnits {
  const { operation, fields, measure, uploaded } = asked;
  switch (operation) {
    case "chat":
    case "completion": {
      const completionTokens = outputMax * requestedChoices(fields);
      return { ...NO_UNITS, promptTokens, completionTokens, ...dearest(prices, promptTokens, completionTokens) };
    }
    case "image":
    case "image_edit": {
      const images = requestedChoices(fields);
      const tokens = promptTokens + uploaded.pictures * TOKENS_PER_FAITHFUL_PICTURE;
      const given = uploaded.pictures > 0 && isDearer(prices, "image_input", "input", tokens);
      const imageInputTokens = given ? uploaded.pictures * (PICTURE_HIGH + TOKENS_PER_FAITHFUL_PICTURE) : 0;
      const most = { completionTokens: images * outputMax, ...dearest(prices, tokens, images * outputMax) };
      return { ...NO_UNITS, promptTokens: tokens, imageInputTokens, images, ...most };
    }
    case "speech":
      return { ...NO_UNITS, ...spoken(measure.characters * 2), promptTokens, characters: measure.characters };
    case "transcription":
    case "translation":
      return heard(uploaded.sound.atMostMs, promptTokens + outputMax);
    case "realtime": {
      const completionTokens = Math.min(outputMax, TOKENS_PER_RESPONSE);
      const isSpoken = isDearer(prices, "audio_output", "output", promptTokens);
      return { ...NO_UNITS, completionTokens, audioOutputTokens: isSpoken ? completionTokens : 0 };
    }
    case "rerank":
      return { ...NO_UNITS, promptTokens, searchUnits: searchesAtMost(fields, measure) };
    default:
      return { ...NO_UNITS, promptTokens };
  }
}

/** About what the prompt alone uses. */
export function inputUnits({ operation, measure, uploaded }: Asked): CallUnits {
  const promptTokens = estimateTokens(measure);
  if (operation === "speech") return { ...NO_UNITS, promptTokens, characters: measure.characters };
  if (takesAudio(operation)) return heard(uploaded.sound.aboutMs, 0);
  return { ...NO_UNITS, promptTokens };
}

/** What speech has used: its characters are known; what else it may be charged by is not, unless tokens are told. */
export function speechUnits(
  told: ChargedUnits | null,
  measure: PromptMeasure,
  prices: Prices | undefined,
): { readonly units: ChargedUnits; readonly estimated: boolean } {
  const { characters } = measure;
  const isByTokens = !prices?.character && !prices?.second;
  if (told && isByTokens) return { units: { ...told, characters }, estimated: false };
  if (!prices || prices.character) return { units: { ...NO_UNITS, characters }, estimated: false };
  const promptTokens = estimateTokens(measure);
  return { units: { ...NO_UNITS, ...spoken(characters), promptTokens, characters }, estimated: true };
}

/** What a sound of so many characters comes to, for prices that are not by the character. */
function spoken(characters: number): Pick<CallUnits, "soundMs" | "completionTokens" | "audioOutputTokens"> {
  const soundMs = Math.ceil((characters * 1000) / CHARACTERS_PER_SECOND);
  const tokens = Math.ceil((soundMs * TOKENS_PER_SECOND_SPOKEN) / 1000);
  return { soundMs, completionTokens: tokens, audioOutputTokens: tokens };
}

/** What a sound of a length comes to, for prices that are not by the second. */
function heard(soundMs: number, completionTokens: number): CallUnits {
  const audioInputTokens = Math.ceil((soundMs * TOKENS_PER_SECOND_HEARD) / 1000);
  return { ...NO_UNITS, soundMs, promptTokens: audioInputTokens, audioInputTokens, completionTokens };
}

/** What was heard, where it was not told in what it is charged by: of seconds and tokens an upstream tells one. */
export function transcriptionUnits(told: CallUnits | null, aboutMs: number, saidTokens: number): CallUnits {
  if (told === null) return heard(aboutMs, saidTokens);
  const soundMs = told.soundMs || Math.ceil((told.audioInputTokens * 1000) / TOKENS_PER_SECOND_HEARD) || aboutMs;
  if (told.promptTokens === 0) return heard(soundMs, saidTokens);
  return { ...told, soundMs, completionTokens: Math.max(told.completionTokens, saidTokens) };
}

/** What is cheaper than usual is only charged so where the upstream says that it gave it: not every one reads the wish. */
export function askedTier(fields: Fields): ServiceTier {
  const tier = readTier(fields.service_tier) ?? "standard";
  return tier === "priority" ? tier : "standard";
}

/** Whether each response can be limited to a number of tokens, and has tokens that its price depends on. */
export const hasOutputLimit = (operation: Operation): boolean => operation === "chat" || operation === "completion";

/** The most tokens of one response: as many as the request allows, or else the model's limit. */
export function outputAtMost({ operation, fields }: Asked, modelMax: number): number {
  const asked = hasOutputLimit(operation) ? requestedMaxTokens(fields) : null;
  return asked !== null && asked >= 0 ? Math.ceil(asked) : modelMax;
}

/** The longest answer that is asked for, in tokens. Of two names for it either may reach the upstream: the greater counts. */
export function requestedMaxTokens({ max_completion_tokens: one, max_tokens: other }: Fields): number | null {
  if (typeof one !== "number") return typeof other === "number" ? other : null;
  return typeof other === "number" ? Math.max(one, other) : one;
}

/** How many answers are asked for at once. */
export function requestedChoices({ n, best_of }: Fields): number {
  const wanted = Math.max(typeof n === "number" ? n : 1, typeof best_of === "number" ? best_of : 1);
  return Math.ceil(Math.min(Math.max(wanted, 1), 128));
}

/** All of an answer may be thought, or drawn, where that is the dearest. */
function dearest(prices: Prices, promptTokens: number, tokens: number): Partial<ChargedUnits> {
  const isThought = isDearer(prices, "reasoning", "output", promptTokens);
  const isDrawn = isDearer(prices, "image_output", isThought ? "reasoning" : "output", promptTokens);
  if (isDrawn) return { imageOutputTokens: tokens };
  return isThought ? { reasoningTokens: tokens } : {};
}

function isDearer(prices: Prices, one: PriceComponent, other: PriceComponent, promptTokens: number): boolean {
  const [price, usual] = [findPrice(prices, one), findPrice(prices, other)];
  return price !== undefined && priceAt(price, promptTokens) > (usual ? priceAt(usual, promptTokens) : 0n);
}
