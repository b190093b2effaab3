/** Ways to write an answer shorter, the shortest first. */
export const ENCODING_NAMES = ["br", "gzip"] as const;
export type EncodingName = (typeof ENCODING_NAMES)[number];

/** Whether somebody who sent this `accept-encoding` takes it. */
export const takesEncoding = (accepted: string, name: EncodingName): boolean =>
  new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted);
