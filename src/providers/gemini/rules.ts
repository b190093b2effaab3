import type { ModelTraits } from "./model.ts";

/** What decides how a conversation is written down: the model and the place where it is served. */
export interface Rules {
  readonly traits: ModelTraits;
  readonly takesCallIds: boolean;
}

/** Older models answer in order and need no ids; some of their versions refuse them. */
export const usesCallIds = (rules: Rules): boolean => rules.takesCallIds && rules.traits.checksSignatures;
