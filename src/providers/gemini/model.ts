import { perModel } from "../worked-out-once.ts";

/** What a model's name tells. Names change faster than this file, so an unknown one is taken for a current model. */
export interface ModelTraits {
  /** Thinks before it answers, so it can be told how much. */
  readonly thinks: boolean;
  /** Is told how much to think by a level; older ones by a number of tokens. */
  readonly thinksInLevels: boolean;
  readonly isPro: boolean;
  /** Takes schemas as JSON Schema; older ones only in Google's own form. */
  readonly takesJsonSchema: boolean;
  /** Can be held to JSON and offered functions in the same request. */
  readonly mixesJsonAndTools: boolean;
  /** Refuses a history whose function calls lost their seal. */
  readonly checksSignatures: boolean;
}

export const modelTraits = perModel((model): ModelTraits => {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  const version = /^gemini-(\d+(?:\.\d+)?)/.exec(name)?.[1];
  const generation = version === undefined ? null : Number(version);
  const isOld = (generation !== null && generation < 2.5) || /^(gemma|learnlm)/.test(name);
  const isThird = generation !== null && generation >= 3;
  return {
    thinks: !isOld,
    thinksInLevels: isThird,
    isPro: /(^|-)pro(-|$)/.test(name),
    takesJsonSchema: !isOld,
    mixesJsonAndTools: isThird,
    checksSignatures: isThird || /^gemini-.*latest$/.test(name),
  };
});
