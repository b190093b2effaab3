import type { ModelFacts } from "../../catalog/model-facts.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { ModelInfoEntry } from "../../contract/models.ts";
import { publicAddress } from "../../contract/public-address.ts";
import { writtenModel } from "../../contract/upstream-form.ts";
import { maskSecrets, secretsOf } from "../health/mask-secrets.ts";
import { priceFields } from "./price-fields.ts";
import { supportedParams } from "./supported-params.ts";

/** Credentials are not shown at all, not even masked. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "api_key",
  "client_secret",
  "vertex_credentials",
  "vertex_ai_credentials",
  "aws_access_key_id",
  "aws_secret_access_key",
  "aws_session_token",
  "azure_ad_token",
]);

/** A deployment as model information shows it. Operators see its parameters; callers see which model it is. */
export function describeDeployment(deployment: Deployment, facts: ModelFacts, operator: boolean): ModelInfoEntry {
  const { provider, upstreamModel } = deployment;
  return {
    model_name: deployment.group,
    litellm_params: {
      model: `${provider}/${writtenModel(deployment)}`,
      ...(operator ? operatorParams(deployment) : {}),
    },
    model_info: { ...describedInfo(deployment), ...filled(deployment, facts, `${provider}/${upstreamModel}`) },
  };
}

function operatorParams({ apiBase, apiVersion, apiKey, params }: Deployment): Record<string, unknown> {
  const shown = Object.fromEntries(Object.entries(params).filter(([name]) => !LEFT_OUT.has(name)));
  return {
    ...(apiBase === null ? {} : { api_base: publicAddress(apiBase) }),
    ...(apiVersion === null ? {} : { api_version: apiVersion }),
    ...(maskSecrets(shown, secretsOf({ apiKey, params })) as Record<string, unknown>),
  };
}

/** The operator's own fields; `key` is the name of the model in the model table and follows below. */
function describedInfo({ info, ...deployment }: Deployment): Record<string, unknown> {
  const { key: _, ...own } = info;
  return maskSecrets(own, secretsOf(deployment)) as Record<string, unknown>;
}

/** What is known, under the operator's own fields where those say something. */
function filled(deployment: Deployment, facts: ModelFacts, model: string) {
  const { info, params } = deployment;
  const known: Record<string, unknown> = {
    key: model,
    litellm_provider: deployment.provider,
    mode: facts.mode,
    max_tokens: facts.maxOutputTokens,
    max_input_tokens: facts.maxInputTokens,
    max_output_tokens: facts.maxOutputTokens,
    tpm: params.tpm ?? null,
    rpm: params.rpm ?? null,
    supported_openai_params: supportedParams(deployment),
    supports_vision: facts.supportsVision,
    supports_function_calling: facts.supportsFunctionCalling,
    supports_parallel_function_calling: facts.supportsParallelFunctionCalling,
    supports_reasoning: facts.supportsReasoning,
    supports_pdf_input: facts.supportsPdfInput,
    supports_audio_input: facts.supportsAudioInput,
    supports_audio_output: facts.supportsAudioOutput,
    supports_prompt_caching: facts.supportsPromptCaching,
    supports_response_schema: facts.supportsResponseSchema,
    supports_web_search: facts.supportsWebSearch,
  };
  const absent = Object.entries(known).filter(([name]) => info[name] === undefined || name === "key");
  // The prices that calls are charged at, wherever they were stated.
  const prices = { input_cost_per_token: null, output_cost_per_token: null, ...priceFields(facts.prices) };
  return { ...Object.fromEntries(absent), ...prices, id: deployment.id, db_model: deployment.stored === true };
}
