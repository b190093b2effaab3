import { perModel } from "../worked-out-once.ts";

/** What a model takes, as far as its generation tells: newer ones refuse settings that older ones need. */
export interface ModelTraits {
  /** `budget`: a number of tokens to think. `adaptive`: the model decides, guided by an effort. */
  readonly thinking: "none" | "budget" | "adaptive";
  /** It thinks without being asked; not asking is not the same as switching it off. */
  readonly thinksUnasked: boolean;
  /** Its thinking stays empty unless a summary is asked for. */
  readonly hidesThinking: boolean;
  /** Which of `temperature` and `top_p` it takes in one request. */
  readonly sampling: "both" | "one" | "none";
  /** It answers in a JSON schema without the detour over a tool. */
  readonly nativeFormat: boolean;
  /** `tool_choice` may demand a call. */
  readonly forcedTools: boolean;
  readonly highestEfforts: readonly string[];
  /** `max_tokens` has to be sent. Where thinking counts into it by default, the usual number would cut answers short. */
  readonly maxTokensDefault: number;
}

/** Names that are not Claude's belong to upstreams that imitate the interface: what all of them take. */
const UNKNOWN: ModelTraits = {
  thinking: "budget",
  thinksUnasked: false,
  hidesThinking: false,
  sampling: "both",
  nativeFormat: false,
  forcedTools: true,
  highestEfforts: [],
  maxTokensDefault: 4096,
};

export const modelTraits = perModel((model): ModelTraits => {
  const { family, version } = parseModel(model);
  if (version === null) return UNKNOWN;
  return {
    thinking: version >= 406 ? "adaptive" : version >= 307 ? "budget" : "none",
    thinksUnasked: version >= 500,
    hidesThinking: version >= 407,
    sampling: version >= 407 ? "none" : version >= 401 ? "one" : "both",
    nativeFormat: version >= 405,
    forcedTools: version <= 500 || family === "haiku",
    highestEfforts: version >= 407 ? ["xhigh", "max"] : ["max"],
    maxTokensDefault: version >= 406 ? 16_384 : 4096,
  };
});

// Both orders are in use: `claude-3-7-sonnet-20250219` and `claude-opus-4-6`. A date is never taken for a version.
const CLAUDE = /claude-(?:([a-z]+)-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?(?:-([a-z]+))?/;
const UNNUMBERED = /claude-(?:mythos|fable)\b/;

/** 4.6 is 406, so that versions compare as numbers. */
function parseModel(model: string): { family: string | null; version: number | null } {
  const name = model.toLowerCase();
  const match = CLAUDE.exec(name);
  if (match !== null) {
    return { family: match[1] ?? match[4] ?? null, version: Number(match[2]) * 100 + Number(match[3] ?? 0) };
  }
  return { family: null, version: UNNUMBERED.test(name) ? 500 : null };
}
