import { OPERATIONS } from "../../contract/params.ts";
import type { Provider, Target } from "../dialect.ts";
import { buildResponses } from "../openai-responses/provider.ts";
import { renameField } from "./body.ts";
import { findKey, findText, findVariable, missingKey } from "./credentials.ts";
import { buildProvider, type Family } from "./family.ts";
import { limitsCompletionTokens, openAiParams, reasons, samplingNextToReasoning } from "./models.ts";
import { joinPath, PATHS, RESPONSES_PATH } from "./paths.ts";

const TITLE = "OpenAI";
const KEY_VARIABLES = ["OPENAI_API_KEY"];
const BASE_VARIABLES = ["OPENAI_BASE_URL", "OPENAI_API_BASE"];

const baseOf = (target: Target): string =>
  target.apiBase ?? findVariable(target, BASE_VARIABLES) ?? "https://api.openai.com/v1";

const FAMILY: Family = {
  id: "openai",
  title: TITLE,
  operations: OPERATIONS.filter((operation) => operation !== "rerank"),
  url: (operation, target) => joinPath(baseOf(target), PATHS[operation]),
  headers(target) {
    const key = findKey(target, KEY_VARIABLES);
    // Many point `openai/...` at a server of their own, which may want no key.
    if (key === undefined && target.apiBase === null) throw missingKey(TITLE, KEY_VARIABLES);
    const organization = findText(target, "organization") ?? findVariable(target, ["OPENAI_ORGANIZATION"]);
    return {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(organization !== undefined && { "openai-organization": organization }),
    };
  },
  adapt(operation, body, target) {
    if (operation === "chat" && limitsCompletionTokens(target.upstreamModel)) {
      renameField(body, "max_tokens", "max_completion_tokens");
    }
  },
  supportedParams: openAiParams,
  ownModels: { chatApi: () => "openai", conflicting: samplingNextToReasoning },
};

export const openai: Provider = buildProvider(FAMILY);

export const openaiResponses: Provider = buildResponses(FAMILY, {
  url: (target) => joinPath(baseOf(target), RESPONSES_PATH),
  model: ({ upstreamModel }) => ({ model: upstreamModel, reasons: reasons(upstreamModel) }),
});
