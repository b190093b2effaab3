import type { Vault } from "../vault.ts";
import type { PromptStage } from "./json-strings-stage.ts";
import { JsonTokensStage } from "./json-tokens-stage.ts";

const AS_IT_IS: PromptStage = { push: (text) => text, end: () => "" };

/** Where a number of a JSON object was masked, the placeholder becomes a string: without quotes it is no JSON. */
export function quoteMasked(vault: () => Vault): PromptStage {
  return new JsonTokensStage({
    bare: (token) => (vault().hasLost(token) ? JSON.stringify(token) : token),
    inside: AS_IT_IS,
    isNumber: () => false,
  });
}
