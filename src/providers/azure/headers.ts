import type { Target } from "../dialect.ts";
import { findText, findVariable, missingKey } from "../openai/credentials.ts";

/** The deployment's own key or token, then the environment's; a key where there are both. */
export function azureHeaders(target: Target, title: string, keyVariables: readonly string[]): Record<string, string> {
  const own = target.apiKey?.trim();
  if (own) return { "api-key": own };
  const token = findText(target, "azure_ad_token");
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  const key = findVariable(target, keyVariables);
  if (key !== undefined) return { "api-key": key };
  const usualToken = findVariable(target, ["AZURE_AD_TOKEN"]);
  if (usualToken !== undefined) return { authorization: `Bearer ${usualToken}` };
  throw missingKey(title, keyVariables);
}
