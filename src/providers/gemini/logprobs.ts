import { isRecord } from "../../lib/json.ts";

interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
  readonly top_logprobs: readonly Omit<TokenLogprob, "top_logprobs">[];
}

export interface Logprobs {
  readonly content: readonly TokenLogprob[];
  readonly refusal: null;
}

/** `logprobsResult` in OpenAI's form; null where there is none. */
export function logprobsOf(result: unknown): Logprobs | null {
  if (!isRecord(result) || !Array.isArray(result.chosenCandidates)) return null;
  const top: readonly unknown[] = Array.isArray(result.topCandidates) ? result.topCandidates : [];
  const content = result.chosenCandidates.flatMap((chosen: unknown, at) =>
    token(chosen).map((found) => ({ ...found, top_logprobs: alternatives(top[at]) })),
  );
  return { content, refusal: null };
}

const alternatives = (step: unknown) =>
  isRecord(step) && Array.isArray(step.candidates) ? step.candidates.flatMap(token) : [];

function token(candidate: unknown): Omit<TokenLogprob, "top_logprobs">[] {
  if (!isRecord(candidate) || typeof candidate.token !== "string") return [];
  const logprob = typeof candidate.logProbability === "number" ? candidate.logProbability : 0;
  return [{ token: candidate.token, logprob, bytes: [...Buffer.from(candidate.token)] }];
}
