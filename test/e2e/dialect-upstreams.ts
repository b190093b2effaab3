import { exportPKCS8, generateKeyPair } from "jose";
import { fakeAnthropic } from "../upstreams/anthropic.ts";
import { fakeAzure } from "../upstreams/azure.ts";
import { fakeBedrock } from "../upstreams/bedrock.ts";
import { FAKE_AWS } from "../upstreams/bedrock-auth.ts";
import { fakeCohere } from "../upstreams/cohere.ts";
import { fakeGemini, fakeVertex } from "../upstreams/gemini.ts";
import { fakeOllama } from "../upstreams/ollama.ts";
import { fakeOpenAi } from "../upstreams/openai.ts";
import type { Reply, Script } from "../upstreams/script.ts";
import { script } from "./dialect-suite.ts";

const SECRET = "upstream-secret-0123456789";

export interface Dialect {
  /** The group's name, and with `-id` the deployment's. */
  readonly name: string;
  readonly upstream: (script: Script) => (request: Request) => Promise<Response>;
  /** The deployment's parameters, given the address of its upstream. */
  readonly params: (url: string, googleKey: string) => Readonly<Record<string, unknown>>;
  /** The group for embeddings, where the dialect has them, and its model. */
  readonly embedding?: string;
  readonly embeddingModel?: string;
  readonly noImages?: boolean;
  readonly noReasoning?: boolean;
  readonly noStop?: boolean;
  /** Failures that the provider has no way to express. */
  readonly lacks?: readonly NonNullable<Reply["failure"]>[];
}

const keyed =
  (model: string, path = "") =>
  (url: string) => ({ model, api_base: url + path, api_key: SECRET });

/** Every wire format that the gateway speaks, each before a fake that is as strict as the real one. */
export const DIALECTS: readonly Dialect[] = [
  {
    name: "openai",
    upstream: fakeOpenAi,
    params: keyed("openai/gpt-4o", "/v1"),
    embedding: "openai-embedding",
    embeddingModel: "openai/text-embedding-3-small",
    noReasoning: true,
  },
  {
    name: "groq",
    upstream: (given) => fakeOpenAi(given, { reasoningField: "reasoning", lenient: true }),
    params: keyed("groq/llama-3.3-70b-versatile", "/v1"),
  },
  {
    name: "azure",
    upstream: fakeAzure,
    params: keyed("azure/my-gpt-4o"),
    embedding: "azure-embedding",
    embeddingModel: "azure/my-embedding",
    noReasoning: true,
  },
  {
    name: "responses",
    upstream: fakeOpenAi,
    params: (url) => ({ ...keyed("openai/responses/our-own", "/v1")(url), reasoning: { summary: "auto" } }),
    noStop: true,
  },
  {
    name: "azure-responses",
    upstream: fakeAzure,
    params: (url) => ({ ...keyed("azure/responses/our-own")(url), reasoning: { summary: "auto" } }),
    noStop: true,
  },
  { name: "anthropic", upstream: fakeAnthropic, params: keyed("anthropic/claude-sonnet-4-5") },
  {
    name: "gemini",
    upstream: fakeGemini,
    params: keyed("gemini/gemini-2.5-flash"),
    embedding: "gemini-embedding",
    embeddingModel: "gemini/gemini-embedding-001",
  },
  {
    name: "vertex",
    upstream: fakeVertex,
    params: (url, key) => ({
      model: "vertex_ai/gemini-2.5-flash",
      api_base: url,
      vertex_project: "my-project",
      vertex_location: "us-central1",
      vertex_credentials: JSON.stringify({
        type: "service_account",
        client_email: "robot@my-project.iam.gserviceaccount.com",
        private_key: key,
        token_uri: `${url}/token`,
      }),
    }),
  },
  {
    name: "bedrock",
    upstream: fakeBedrock,
    params: (url) => ({
      model: "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
      aws_bedrock_runtime_endpoint: url,
      aws_region_name: FAKE_AWS.region,
      aws_access_key_id: FAKE_AWS.accessKeyId,
      aws_secret_access_key: FAKE_AWS.secretAccessKey,
      aws_session_token: FAKE_AWS.sessionToken,
    }),
    embedding: "bedrock-embedding",
    embeddingModel: "bedrock/cohere.embed-english-v3",
  },
  {
    name: "cohere",
    upstream: fakeCohere,
    params: keyed("cohere/command-a-03-2025"),
    embedding: "cohere-embedding",
    embeddingModel: "cohere/embed-v4.0",
  },
  {
    name: "ollama",
    upstream: fakeOllama,
    params: (url) => ({ model: "ollama/llama3.2", api_base: url }),
    embedding: "ollama-embedding",
    embeddingModel: "ollama/nomic-embed-text",
    lacks: ["content_policy"],
  },
];

/** The fakes have models that no public list knows. */
const PRICES = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };

export interface Upstreams {
  /** A configuration with a group for each dialect. JSON is YAML. */
  readonly yaml: string;
  stop(): void;
}

export async function startUpstreams(): Promise<Upstreams> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const googleKey = await exportPKCS8(privateKey);
  const servers = DIALECTS.map((dialect) => {
    const handler = dialect.upstream(script);
    return Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, reusePort: false, fetch: handler });
  });
  const models = DIALECTS.flatMap((dialect, index) => {
    const params = dialect.params(`http://127.0.0.1:${servers[index]?.port}`, googleKey);
    const chat = {
      model_name: dialect.name,
      litellm_params: params,
      model_info: { id: `${dialect.name}-id`, ...PRICES },
    };
    if (dialect.embedding === undefined) return [chat];
    const embedding = {
      model_name: dialect.embedding,
      litellm_params: { ...params, model: dialect.embeddingModel },
      model_info: PRICES,
    };
    return [chat, embedding];
  });
  return {
    // What an upstream's failure becomes is looked at here, one by one: nothing is tried again or rests.
    yaml: JSON.stringify({ model_list: models, router_settings: { num_retries: 0, disable_cooldowns: true } }, null, 1),
    stop: () => servers.forEach((server) => void server.stop(true)),
  };
}
