import type { Detector } from "../detector.ts";
import { charSet, isTypesetBreak, TYPESET_BREAKS } from "./characters.ts";
import { runDetector } from "./run-detector.ts";

const isNeighbour = charSet(/[\w-]/);

/** With its dashes or blanks; numbers that were never given out are none. */
export const usSsn: Detector = runDetector({
  category: "us_ssn",
  pattern: new RegExp(`(?!000|666|9)\\d{3}([ ${TYPESET_BREAKS}-])(?!00)\\d{2}\\1(?!0000)\\d{4}`, "g"),
  isInside: charSet(/[0-9 -]/, isTypesetBreak),
  reach: 16,
  accept: (text, start, end) =>
    !(start > 0 && isNeighbour(text.charCodeAt(start - 1))) &&
    !(end < text.length && isNeighbour(text.charCodeAt(end))),
});
