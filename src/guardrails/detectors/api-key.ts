import type { Detector } from "../detector.ts";
import { charSet, isAlphanumeric, trailingRun } from "./characters.ts";
import { runDetector } from "./run-detector.ts";

/** Keys that say by their form whose they are: OpenAI and its like, GitHub, GitLab, AWS, Google, Slack, Stripe and others. */
const FORMS = [
  /sk-[A-Za-z0-9_-]{20,220}/,
  /(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,220}/,
  /whsec_[A-Za-z0-9+/=]{24,128}/,
  /gh[pousr]_[A-Za-z0-9]{36,220}/,
  /github_pat_[A-Za-z0-9_]{22,220}/,
  /glpat-[A-Za-z0-9_-]{20,64}/,
  /(?:AKIA|ASIA)[A-Z0-9]{16}/,
  /AIza[A-Za-z0-9_-]{35}/,
  /ya29\.[A-Za-z0-9_-]{20,220}/,
  /xox[abeoprs]-[A-Za-z0-9-]{10,220}/,
  /xapp-[A-Za-z0-9-]{10,220}/,
  /hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,100}/,
  /hf_[A-Za-z0-9]{30,64}/,
  /npm_[A-Za-z0-9]{36}/,
  /pypi-[A-Za-z0-9_-]{50,220}/,
  /SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}/,
  /(?:gsk_|r8_|pplx-|xai-|dop_v1_|shpat_|nvapi-)[A-Za-z0-9_-]{20,120}/,
  /dapi[0-9a-f]{32}/,
  /AccountKey=[A-Za-z0-9+/=]{60,120}/,
];

export const apiKey: Detector = runDetector({
  category: "api_key",
  pattern: new RegExp(FORMS.map(({ source }) => source).join("|"), "g"),
  isInside: charSet(/[A-Za-z0-9_+/=.-]/),
  reach: 300,
  // The shortest are Slack's: a prefix of five and ten more.
  runMin: 15,
  accept: (text, start, end) =>
    !(start > 0 && isAlphanumeric(text.charCodeAt(start - 1))) &&
    !(end < text.length && isAlphanumeric(text.charCodeAt(end))),
});

const JWT = /eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,1000}/y;
const isInJwt = charSet(/[A-Za-z0-9_.-]/);

/** Only where a run of such characters begins: each run is looked at once. */
export const jwt: Detector = {
  next(text, from) {
    for (let start = text.indexOf("eyJ", from); start >= 0; start = text.indexOf("eyJ", start + 1)) {
      if (start > 0 && isInJwt(text.charCodeAt(start - 1))) continue;
      JWT.lastIndex = start;
      const found = JWT.exec(text);
      if (found) return { category: "jwt", start, end: start + found[0].length };
    }
    return null;
  },
  open: (text, from) => trailingRun(text, from, isInJwt, 5_020),
};
