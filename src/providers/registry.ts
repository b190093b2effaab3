import type { Deployment } from "../contract/deployment.ts";
import { OPENAI_PARAMS, OPERATIONS } from "../contract/params.ts";
import { anthropic } from "./anthropic/provider.ts";
import { azure, azureAi, azureResponses } from "./azure/provider.ts";
import { bedrock } from "./bedrock/provider.ts";
import { cohere } from "./cohere/provider.ts";
import type { Provider } from "./dialect.ts";
import { gemini } from "./gemini/provider.ts";
import { ollama } from "./ollama/provider.ts";
import { buildProvider } from "./openai/family.ts";
import { joinPath, PATHS } from "./openai/paths.ts";
import { openai, openaiResponses } from "./openai/provider.ts";
import { openAiLike } from "./openai-like/table.ts";
import { vertexAi } from "./vertex/provider.ts";

/** The models inside this process speak OpenAI's interface and are reached through the transport like any upstream. */
const echo: Provider = buildProvider({
  id: "echo",
  title: "Offline models",
  operations: OPERATIONS.filter((operation) => operation !== "rerank"),
  url: (operation) => joinPath("echo://offline/v1", PATHS[operation]),
  headers: () => ({}),
  supportedParams: (operation) => OPENAI_PARAMS[operation],
  ownModels: { chatApi: () => "echo" },
});

/** Further names under which configurations know a provider. */
const ALIASES: readonly Provider[] = [
  { ...cohere, id: "cohere_chat" },
  { ...ollama, id: "ollama_chat" },
  { ...vertexAi, id: "vertex_ai_beta" },
];

const PROVIDERS = new Map<string, Provider>(
  [openai, azure, azureAi, anthropic, gemini, vertexAi, bedrock, cohere, ollama, ...openAiLike, ...ALIASES, echo].map(
    (provider) => [provider.id, provider],
  ),
);

/** Those that have models which are called through OpenAI's Responses. */
const RESPONSES = new Map<string, Provider>(
  [openaiResponses, azureResponses].map((provider) => [provider.id, provider]),
);

/** The provider of a `provider/model`, if it can be called. */
export const findProvider = (id: string): Provider | null => PROVIDERS.get(id) ?? null;

/** The same for a deployment, in the form that its model is called in. */
export const providerOf = ({ provider, form }: Pick<Deployment, "provider" | "form">): Provider | null =>
  form === undefined ? findProvider(provider) : (RESPONSES.get(provider) ?? null);

export const listProviders = (): readonly Provider[] => [...PROVIDERS.values()];
