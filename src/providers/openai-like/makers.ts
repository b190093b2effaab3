import { EITHER_LIMIT, NEWER_LIMIT } from "./limit-names.ts";
import { mistralPart } from "./mistral-part.ts";
import { nineCharacters } from "./nine-characters.ts";
import type { Quirks, Row } from "./row.ts";

const MISTRAL: Quirks = {
  rename: { seed: "random_seed" },
  values: { tool_choice: { required: "any" } },
  refusesStreamOptions: true,
  messages: { nameOn: ["tool"], toolId: nineCharacters, part: mistralPart },
  thinkingParts: true,
};

/** These models reason over several turns and want their own reasoning back. */
const KEEPS_REASONING = { keeps: ["reasoning_content"] };

/** Companies that serve models of their own making. */
export const MAKERS: readonly Row[] = [
  {
    id: "mistral",
    title: "Mistral",
    base: "https://api.mistral.ai/v1",
    key: ["MISTRAL_API_KEY"],
    operations: ["chat", "embedding", "moderation", "transcription"],
    lacks: "logit_bias logprobs top_logprobs user",
    adds: "prediction reasoning_effort",
    params: { embedding: "dimensions encoding_format", transcription: "language temperature timestamp_granularities" },
    quirks: { ...MISTRAL, rename: { ...MISTRAL.rename, dimensions: "output_dimension" } },
  },
  {
    id: "codestral",
    title: "Codestral",
    base: "https://codestral.mistral.ai/v1",
    key: ["CODESTRAL_API_KEY"],
    lacks: "logit_bias logprobs top_logprobs user",
    quirks: MISTRAL,
  },
  {
    id: "deepseek",
    title: "DeepSeek",
    base: "https://api.deepseek.com/beta",
    key: ["DEEPSEEK_API_KEY"],
    operations: ["chat", "completion"],
    lacks: "logit_bias n parallel_tool_calls seed user",
    adds: "reasoning_effort",
    lacksByModel: [{ models: /reasoner/, lacks: "logprobs top_logprobs" }],
    params: {
      completion:
        "echo frequency_penalty logprobs max_tokens presence_penalty stop stream stream_options suffix temperature top_p",
    },
    quirks: { schemaInWords: true, messages: { ...KEEPS_REASONING, flattensText: true } },
  },
  {
    id: "xai",
    title: "xAI",
    base: "https://api.x.ai/v1",
    key: ["XAI_API_KEY"],
    operations: ["chat", "completion", "image"],
    lacks: "logit_bias",
    adds: "reasoning_effort web_search_options",
    lacksByModel: [
      {
        models: /^grok-(3-mini|4|[5-9]|code)(?!.*non-reasoning)/,
        lacks: "frequency_penalty presence_penalty stop logprobs top_logprobs",
      },
      { models: /^grok-(2|3(?!-mini)|4(?!\.)|code)|non-reasoning/, lacks: "reasoning_effort" },
    ],
    params: { image: "n response_format" },
    quirks: { messages: { nameOn: ["user"] } },
  },
  {
    id: "zai",
    title: "Z.ai",
    base: "https://api.z.ai/api/paas/v4",
    key: ["ZAI_API_KEY"],
    lacks: "frequency_penalty logit_bias logprobs n parallel_tool_calls presence_penalty seed top_logprobs user",
    quirks: { schemaInWords: true, insistsInWords: true, messages: KEEPS_REASONING },
  },
  {
    id: "moonshot",
    title: "Moonshot AI",
    base: "https://api.moonshot.ai/v1",
    key: ["MOONSHOT_API_KEY"],
    lacks: "logit_bias logprobs parallel_tool_calls seed top_logprobs user",
    adds: "prompt_cache_key reasoning_effort safety_identifier",
    // The newer models sample as they were trained to and refuse any other setting.
    lacksByModel: [
      { models: /^kimi-k(2\.[5-9]|[3-9])/, lacks: "temperature top_p n frequency_penalty presence_penalty" },
    ],
    // Its range is half of OpenAI's.
    quirks: {
      clamp: { temperature: [0, 1] },
      insistsInWords: true,
      messages: { ...KEEPS_REASONING, flattensText: true },
    },
  },
  {
    id: "dashscope",
    title: "DashScope",
    base: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    key: ["DASHSCOPE_API_KEY"],
    operations: ["chat", "embedding"],
    lacks: "frequency_penalty logit_bias user",
    adds: "modalities audio",
    quirks: { messages: { ...KEEPS_REASONING, keepsCacheControl: true } },
  },
  {
    id: "volcengine",
    title: "Volcengine Ark",
    base: "https://ark.cn-beijing.volces.com/api/v3",
    key: ["VOLCENGINE_API_KEY", "ARK_API_KEY"],
    operations: ["chat", "embedding", "image"],
    lacks: "n seed user",
    adds: "reasoning_effort service_tier",
    quirks: { rename: EITHER_LIMIT, messages: KEEPS_REASONING },
  },
  {
    id: "minimax",
    title: "MiniMax",
    base: "https://api.minimax.io/v1",
    key: ["MINIMAX_API_KEY"],
    lacks: "frequency_penalty logit_bias logprobs n parallel_tool_calls presence_penalty seed stop top_logprobs user",
    // Zero is not in its range.
    quirks: { clamp: { temperature: [0.01, 1], top_p: [0.01, 1] }, messages: { keepsCacheControl: true } },
  },
  {
    id: "perplexity",
    title: "Perplexity",
    base: "https://api.perplexity.ai",
    key: ["PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"],
    lacks: "logit_bias logprobs n parallel_tool_calls seed tool_choice tools top_logprobs user",
    adds: "reasoning_effort web_search_options",
    quirks: { refusesStreamOptions: true },
  },
  {
    id: "ai21",
    title: "AI21",
    base: "https://api.ai21.com/studio/v1",
    key: ["AI21_API_KEY"],
    lacks:
      "frequency_penalty logit_bias logprobs parallel_tool_calls presence_penalty seed tool_choice top_logprobs user",
    quirks: { refusesStreamOptions: true, messages: { flattensText: true } },
  },
  {
    id: "ai21_chat",
    title: "AI21",
    base: "https://api.ai21.com/studio/v1",
    key: ["AI21_API_KEY"],
    lacks:
      "frequency_penalty logit_bias logprobs parallel_tool_calls presence_penalty seed tool_choice top_logprobs user",
    quirks: { refusesStreamOptions: true, messages: { flattensText: true } },
  },
  {
    id: "meta_llama",
    title: "Meta Llama",
    base: "https://api.llama.com/compat/v1",
    key: ["LLAMA_API_KEY"],
    lacks: "frequency_penalty logit_bias logprobs n parallel_tool_calls presence_penalty seed stop top_logprobs",
    quirks: { rename: NEWER_LIMIT },
  },
  { id: "amazon_nova", title: "Amazon Nova", base: "https://api.nova.amazon.com/v1", key: ["AMAZON_NOVA_API_KEY"] },
  {
    id: "xiaomi_mimo",
    title: "Xiaomi MiMo",
    base: "https://api.xiaomimimo.com/v1",
    key: ["XIAOMI_MIMO_API_KEY"],
    lacks: "logit_bias logprobs n seed top_logprobs user",
    quirks: { messages: KEEPS_REASONING },
  },
  {
    id: "sarvam",
    title: "Sarvam AI",
    base: "https://api.sarvam.ai/v1",
    key: ["SARVAM_API_KEY"],
    keyHeader: "api-subscription-key",
    lacks: "logit_bias logprobs top_logprobs parallel_tool_calls user",
    adds: "reasoning_effort",
  },
  {
    id: "maritalk",
    title: "Maritaca AI",
    base: "https://chat.maritaca.ai/api",
    key: ["MARITALK_API_KEY"],
    lacks: "logit_bias logprobs top_logprobs",
  },
  {
    id: "morph",
    title: "Morph",
    base: "https://api.morphllm.com/v1",
    key: ["MORPH_API_KEY"],
    lacks: "logit_bias logprobs n top_logprobs user",
  },
  {
    id: "v0",
    title: "v0",
    base: "https://api.v0.dev/v1",
    key: ["V0_API_KEY"],
    lacks:
      "frequency_penalty logit_bias logprobs n parallel_tool_calls presence_penalty response_format seed stop top_logprobs user",
    quirks: { rename: NEWER_LIMIT },
  },
  {
    id: "voyage",
    title: "Voyage AI",
    base: "https://api.voyageai.com/v1",
    key: ["VOYAGE_API_KEY"],
    operations: ["embedding", "rerank"],
    params: { embedding: "dimensions encoding_format", rerank: "top_n return_documents" },
    quirks: {
      rename: { dimensions: "output_dimension", top_n: "top_k" },
      // Plain numbers are what it gives when nothing is asked for; the word for them it does not know.
      values: { encoding_format: { float: null } },
      totalTokensOnly: true,
    },
  },
  {
    id: "jina_ai",
    title: "Jina AI",
    base: "https://api.jina.ai/v1",
    key: ["JINA_AI_API_KEY", "JINA_API_KEY"],
    operations: ["embedding", "rerank"],
    params: { embedding: "dimensions encoding_format", rerank: "top_n return_documents" },
    quirks: { rename: { encoding_format: "embedding_type" } },
  },
  {
    id: "recraft",
    title: "Recraft",
    base: "https://external.api.recraft.ai/v1",
    key: ["RECRAFT_API_KEY"],
    operations: ["image"],
    params: { image: "n size response_format style" },
  },
  {
    id: "text-completion-openai",
    title: "OpenAI",
    base: "https://api.openai.com/v1",
    key: ["OPENAI_API_KEY"],
    operations: ["completion"],
  },
];
