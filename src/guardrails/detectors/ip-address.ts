import { isIPv4, isIPv6 } from "node:net";
import type { Detector } from "../detector.ts";
import { charSet } from "./characters.ts";
import { runDetector } from "./run-detector.ts";

/** The whole run of digits, letters, dots and colons has to be an address, but for the full stop of a sentence. */
export const ipv4: Detector = runDetector({
  category: "ip_address",
  pattern: /\d{1,3}(?:\.\d{1,3}){3}/g,
  isInside: charSet(/[0-9.]/),
  anchor: { text: ".", behind: 3 },
  reach: 24,
  accept: (text, start, end) =>
    !/(?:\w|\d\.)$/.test(text.slice(Math.max(0, start - 2), start)) &&
    !/^(?:\w|\.\d)/.test(text.slice(end, end + 2)) &&
    isIPv4(text.slice(start, end)),
});

export const ipv6: Detector = runDetector({
  category: "ip_address",
  pattern: /[0-9A-Fa-f]{0,4}:(?:[0-9A-Fa-f:]{0,29}:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f:]{1,37})/g,
  isInside: charSet(/[0-9A-Fa-f:.]/),
  anchor: { text: ":", behind: 4 },
  reach: 64,
  accept: (text, start, end) =>
    !isPart(text, start - 1) &&
    !isPart(text, end) &&
    // `::` alone is punctuation of programs.
    end - start > 2 &&
    isIPv6(text.slice(start, end)),
});

const isPart = (text: string, at: number): boolean => at >= 0 && at < text.length && isNeighbour(text.charCodeAt(at));
const isNeighbour = charSet(/[\w:]/);
