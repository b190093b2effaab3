import { OPERATIONS } from "../../contract/params.ts";
import { EITHER_LIMIT } from "./limit-names.ts";
import { EVERY_PARAM } from "./params.ts";
import type { Quirks, Row } from "./row.ts";

/** Whoever is at an operator's own address gets the request as it came. */
const AS_IT_CAME: Quirks = {
  rename: EITHER_LIMIT,
  messages: { drops: [], keepsCacheControl: true, developerAsSystem: false },
};

/** Servers that the operator runs. None of them needs a key unless it was started with one. */
export const SELF_HOSTED: readonly Row[] = [
  {
    id: "hosted_vllm",
    title: "vLLM",
    key: ["HOSTED_VLLM_API_KEY"],
    keyless: true,
    operations: ["chat", "completion", "embedding", "rerank", "transcription", "translation"],
    adds: EVERY_PARAM,
    quirks: { messages: { keeps: ["reasoning_content"] }, renameDelta: { reasoning: "reasoning_content" } },
  },
  {
    id: "lm_studio",
    title: "LM Studio",
    base: "http://localhost:1234/v1",
    key: ["LM_STUDIO_API_KEY"],
    keyless: true,
    operations: ["chat", "completion", "embedding"],
    adds: "reasoning_effort",
    quirks: { renameDelta: { reasoning: "reasoning_content" } },
  },
  {
    id: "llamafile",
    title: "llamafile",
    base: "http://127.0.0.1:8080/v1",
    key: ["LLAMAFILE_API_KEY"],
    keyless: true,
    operations: ["chat", "completion", "embedding"],
  },
  {
    id: "xinference",
    title: "Xinference",
    base: "http://127.0.0.1:9997/v1",
    key: ["XINFERENCE_API_KEY"],
    keyless: true,
    operations: ["chat", "completion", "embedding", "rerank", "image", "speech", "transcription", "translation"],
  },
  {
    id: "docker_model_runner",
    title: "Docker Model Runner",
    base: "http://localhost:12434/engines/v1",
    key: ["DOCKER_MODEL_RUNNER_API_KEY"],
    keyless: true,
    operations: ["chat", "completion", "embedding"],
  },
  {
    id: "lemonade",
    title: "Lemonade",
    base: "http://localhost:8000/api/v1",
    key: ["LEMONADE_API_KEY"],
    keyless: true,
    operations: ["chat", "completion", "embedding", "rerank", "transcription"],
  },
  {
    id: "oobabooga",
    title: "Text Generation Web UI",
    base: "http://127.0.0.1:5000/v1",
    key: ["OOBABOOGA_API_KEY"],
    keyless: true,
    operations: ["chat", "completion", "embedding"],
  },
  {
    id: "infinity",
    title: "Infinity",
    base: "http://127.0.0.1:7997",
    key: ["INFINITY_API_KEY"],
    keyless: true,
    operations: ["embedding", "rerank"],
    params: { rerank: "top_n return_documents" },
  },
  {
    id: "litellm_proxy",
    title: "LiteLLM proxy",
    key: ["LITELLM_PROXY_API_KEY"],
    keyless: true,
    operations: OPERATIONS,
    adds: EVERY_PARAM,
    quirks: {
      ...AS_IT_CAME,
      messages: {
        ...AS_IT_CAME.messages,
        keeps: ["reasoning_content", "thinking_blocks", "provider_specific_fields"],
      },
    },
  },
  {
    id: "openai_like",
    title: "OpenAI-like server",
    key: ["OPENAI_LIKE_API_KEY"],
    keyless: true,
    operations: OPERATIONS,
    adds: EVERY_PARAM,
    quirks: AS_IT_CAME,
  },
  {
    id: "custom_openai",
    title: "OpenAI-like server",
    key: ["CUSTOM_OPENAI_API_KEY"],
    keyless: true,
    operations: OPERATIONS,
    adds: EVERY_PARAM,
    quirks: AS_IT_CAME,
  },
];
