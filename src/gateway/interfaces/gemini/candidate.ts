import { isRecord, textOf } from "../../../lib/json.ts";
import { OWN_REASON } from "../../../providers/gemini/own-form.ts";
import type { Fields } from "../../call/gateway.ts";
import { recordsIn } from "../shared/read-chunk.ts";

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ["length", "MAX_TOKENS"],
  ["content_filter", "SAFETY"],
]);

/** Why a choice ended. Google's own models say so in their words; a call of a function is an end like any other. */
export const finishReason = (choice: Fields): string =>
  textOf(choice[OWN_REASON]) ?? REASONS.get(choice.finish_reason) ?? "STOP";

/** Names of what Google tells about its sources, in its own spelling. */
const SOURCES = [
  ["grounding_metadata", "groundingMetadata"],
  ["citation_metadata", "citationMetadata"],
  ["url_context_metadata", "urlContextMetadata"],
] as const;

/** Of a message, or of a delta. */
export function sourcesOf({ provider_specific_fields: fields }: Fields): Fields {
  const sources: Record<string, unknown> = {};
  if (!isRecord(fields)) return sources;
  for (const [name, own] of SOURCES) if (isRecord(fields[name])) sources[own] = fields[name];
  return sources;
}

/** How likely each token was, in Google's form; nothing where nobody told. */
export function likelihoods(logprobs: unknown): Fields {
  const content = isRecord(logprobs) ? recordsIn(logprobs.content) : [];
  if (content.length === 0) return {};
  const logprobsResult = {
    chosenCandidates: content.map(tokenOf),
    topCandidates: content.map(({ top_logprobs: top }) => ({ candidates: recordsIn(top).map(tokenOf) })),
  };
  return { logprobsResult };
}

const tokenOf = ({ token, logprob }: Fields): Fields => ({ token, logProbability: logprob });
