import type { Operation } from "../../contract/params.ts";
import type { Signing, Target } from "../dialect.ts";
import { findKey, findVariable, missingBase, missingKey } from "../openai/credentials.ts";
import { joinPath, PATHS, withoutEndSlashes } from "../openai/paths.ts";
import { azureHeaders, azureSigning } from "./headers.ts";

const TITLE = "Azure AI";
const KEY_VARIABLES = ["AZURE_AI_API_KEY"];
const VERSION_DEFAULT = "2024-05-01-preview";

/** One of the ways in which Azure AI serves the models of other makers. */
interface Form {
  url(operation: Operation): string;
  headers(): Record<string, string>;
  sign(): Signing | null;
}

/**
 * Three forms, told apart by the address: `/openai/v1`, which is OpenAI's own; `/models`, the inference interface of a
 * Foundry resource; and an endpoint that serves a single model below `/v1` and wants its key as a bearer token.
 */
export function azureAiForm(target: Target): Form {
  const given = target.apiBase ?? findVariable(target, ["AZURE_AI_API_BASE"]);
  if (given === undefined) throw missingBase(TITLE, "AZURE_AI_API_BASE");
  const base = withoutEndSlashes(given);
  if (base.endsWith("/openai/v1")) {
    return {
      url: (operation) => joinPath(base, PATHS[operation]),
      headers: () => azureHeaders(target, TITLE, KEY_VARIABLES),
      sign: () => azureSigning(target, TITLE, KEY_VARIABLES),
    };
  }
  const version = target.apiVersion ?? findVariable(target, ["AZURE_AI_API_VERSION"]);
  const isFoundry =
    base.endsWith("/models") || hostOf(base).endsWith(".services.ai.azure.com") || version !== undefined;
  return isFoundry ? foundryForm(target, base, version ?? VERSION_DEFAULT) : endpointForm(target, base);
}

function foundryForm(target: Target, base: string, version: string): Form {
  const root = base.endsWith("/models") ? base.slice(0, -"/models".length) : base;
  return {
    url: (operation) =>
      operation === "rerank"
        ? joinPath(root, "/v1/rerank")
        : `${joinPath(`${root}/models`, PATHS[operation])}?api-version=${encodeURIComponent(version)}`,
    // Fields that only the model itself knows are refused unless this says that they are meant for it.
    headers: () => ({ ...azureHeaders(target, TITLE, KEY_VARIABLES), "extra-parameters": "pass-through" }),
    sign: () => azureSigning(target, TITLE, KEY_VARIABLES),
  };
}

function endpointForm(target: Target, base: string): Form {
  const root = base.endsWith("/v1") ? base : `${base}/v1`;
  return {
    url: (operation) => joinPath(root, PATHS[operation]),
    headers() {
      const key = findKey(target, KEY_VARIABLES);
      if (key === undefined) throw missingKey(TITLE, KEY_VARIABLES);
      return { authorization: `Bearer ${key}` };
    },
    sign: () => null,
  };
}

function hostOf(base: string): string {
  try {
    return new URL(base).hostname;
  } catch {
    return "";
  }
}
