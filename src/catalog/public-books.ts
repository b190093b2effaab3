/** Where a provider stands in the public lists: under `prices` in the price list, under `models` in the model list. */
export interface Listing {
  readonly prices?: string;
  readonly models?: string;
}

/**
 * Written out rather than matched by name: `openai_like` is not OpenAI, and a price that is merely similar is worse than none.
 */
export const LISTINGS: ReadonlyMap<string, Listing> = new Map(
  Object.entries({
    anthropic: { prices: "anthropic", models: "anthropic" },
    azure: { prices: "azure", models: "azure" },
    azure_ai: { prices: "azure", models: "azure" },
    azure_text: { prices: "azure", models: "azure" },
    baseten: { models: "baseten" },
    bedrock: { prices: "aws", models: "amazon-bedrock" },
    cerebras: { prices: "cerebras", models: "cerebras" },
    chutes: { models: "chutes" },
    codestral: { prices: "mistral", models: "mistral" },
    cohere: { prices: "cohere" },
    cohere_chat: { prices: "cohere" },
    dashscope: { models: "alibaba" },
    deepinfra: { models: "deepinfra" },
    deepseek: { prices: "deepseek", models: "deepseek" },
    fireworks_ai: { prices: "fireworks", models: "fireworks-ai" },
    gemini: { prices: "google", models: "google" },
    github: { models: "github-models" },
    github_copilot: { models: "github-copilot" },
    groq: { prices: "groq", models: "groq" },
    huggingface: { models: "huggingface" },
    lm_studio: { models: "lmstudio" },
    meta_llama: { models: "llama" },
    minimax: { prices: "minimax" },
    mistral: { prices: "mistral", models: "mistral" },
    moonshot: { prices: "moonshotai", models: "moonshotai" },
    morph: { models: "morph" },
    novita: { prices: "novita" },
    nvidia_nim: { models: "nvidia" },
    openai: { prices: "openai", models: "openai" },
    openrouter: { prices: "openrouter", models: "openrouter" },
    ovhcloud: { prices: "ovhcloud" },
    perplexity: { prices: "perplexity", models: "perplexity" },
    synthetic: { models: "synthetic" },
    "text-completion-openai": { prices: "openai", models: "openai" },
    together_ai: { prices: "together", models: "togetherai" },
    v0: { models: "v0" },
    veniceai: { models: "venice" },
    vercel_ai_gateway: { models: "vercel" },
    vertex_ai: { prices: "google", models: "google-vertex" },
    vertex_ai_beta: { prices: "google", models: "google-vertex" },
    voyage: { prices: "voyageai" },
    wandb: { models: "wandb" },
    xai: { prices: "x-ai", models: "xai" },
    zai: { prices: "zai", models: "zai" },
  }),
);
