import { decodeTokens, type Vocabulary } from "../../catalog/tokenizer.ts";
import { vocabularyOf } from "../../catalog/vocabulary.ts";
import type { EmbeddingRequest } from "../../contract/embeddings.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { findForCaller } from "../pipeline/authorize-model.ts";

/**
 * Token arrays as the text that they stand for, for upstreams that take text alone and for whoever has to read them. They are
 * of the vocabulary of the model that the call names, whoever stands in for it.
 */
export async function tokensToText(
  deps: Pick<GatewayDeps, "catalog">,
  call: InferenceCall,
  input: EmbeddingRequest["input"],
  param: "input" | "prompt",
): Promise<string | string[]> {
  if (input === undefined || typeof input === "string") return input ?? [];
  if (input.every((one) => typeof one === "string")) return input as string[];
  const vocabulary = vocabularyOfCall(deps, call);
  if (vocabulary === null) throw unreadable(call.model, param);
  const [first] = input;
  if (typeof first === "number") return decodeTokens(input as number[], vocabulary);
  return Promise.all(
    (input as (string | number[])[]).map((one) => (typeof one === "string" ? one : decodeTokens(one, vocabulary))),
  );
}

/** What all deployments of the model have in common; null where that is nothing, or not known. */
function vocabularyOfCall(
  { catalog }: Pick<GatewayDeps, "catalog">,
  { caller, model }: InferenceCall,
): Vocabulary | null {
  const [first = null, ...others] = findForCaller(catalog(), caller, model).map(vocabularyOf);
  return others.every((one) => one === first) ? first : null;
}

/** Read by another vocabulary they would say something else, and nobody would notice. */
const unreadable = (model: string, param: string): GatewayError =>
  new GatewayError(
    "invalid_request",
    `It is not known here which texts the token numbers of \`${model}\` stand for: send text instead.`,
    { param },
  );
