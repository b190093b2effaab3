import type { Provider } from "../dialect.ts";
import { buildProvider, type Family } from "../openai/family.ts";
import { reasons, samplingNextToReasoning } from "../openai/models.ts";
import { buildResponses } from "../openai-responses/provider.ts";
import { perTarget } from "../worked-out-once.ts";
import { azureResponsesUrl, azureUrl, knowsStreamOptions } from "./address.ts";
import { azureAiForm } from "./azure-ai.ts";
import { adaptToDeployment, azureParams, deploymentName, modelAt } from "./deployment.ts";
import { classifyAzure } from "./failure.ts";
import { azureHeaders, azureSigning } from "./headers.ts";

const AZURE = "Azure OpenAI";
const AZURE_AI = "Azure AI";
const KEY_VARIABLES = ["AZURE_API_KEY", "AZURE_OPENAI_API_KEY"];

const FAMILY: Family = {
  id: "azure",
  title: AZURE,
  operations: [
    "chat",
    "completion",
    "embedding",
    "speech",
    "image",
    "image_edit",
    "transcription",
    "translation",
    "realtime",
  ],
  url: azureUrl,
  headers: (target) => azureHeaders(target, AZURE, KEY_VARIABLES),
  sign: perTarget((target) => azureSigning(target, AZURE, KEY_VARIABLES)),
  knowsStreamOptions,
  adapt: adaptToDeployment,
  supportedParams: azureParams,
  ownModels: { chatApi: () => "openai", conflicting: samplingNextToReasoning },
  classify: (failure) => classifyAzure(failure, AZURE),
};

export const azure: Provider = buildProvider(FAMILY);

export const azureResponses: Provider = buildResponses(FAMILY, {
  url: azureResponsesUrl,
  model: (target) => ({ model: deploymentName(target.upstreamModel), reasons: reasons(modelAt(target)) }),
});

export const azureAi: Provider = buildProvider({
  id: "azure_ai",
  title: AZURE_AI,
  operations: ["chat", "embedding", "rerank"],
  url: (operation, target) => azureAiForm(target).url(operation),
  headers: (target) => azureAiForm(target).headers(),
  sign: perTarget((target) => azureAiForm(target).sign()),
  adapt: adaptToDeployment,
  supportedParams: azureParams,
  classify: (failure) => classifyAzure(failure, AZURE_AI),
});
