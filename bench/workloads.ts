import { EMBEDDING_INPUTS } from "./answers.ts";

/** One kind of traffic: what a client sends, and over how many connections. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly path: string;
  /** The model is the contender's own name for it. */
  readonly body: (model: string) => string;
  /** Which of a contender's models: a plain upstream, or one whose form has to be translated. */
  readonly dialect: "openai" | "anthropic" | "gemini";
  readonly check: "chat" | "stream" | "embeddings";
  readonly connections: number;
  /** Answers in one round, and the time that a round may take at most. */
  readonly answers: number;
  readonly seconds: number;
  /** The floor's workload that this one is held against; its own where the floor can serve it. */
  readonly floor?: string;
  /** Keys that the calls are made with, in turn. */
  readonly keys?: number;
  /** So many requests in turn, each with a number of its own in place of `NUMBER`: nothing can be answered from memory. */
  readonly vary?: number;
}

const messages = (content: string) => [
  { role: "system", content: "You are a terse assistant." },
  { role: "user", content },
];
const chat =
  (content: string, more: object = {}) =>
  (model: string) =>
    JSON.stringify({ model, messages: messages(content), ...more });

const SMALL = "How much does a gateway add to a call? Answer in a sentence or two, please.";
/** About 32,000 tokens: 128 kB of words. */
const LONG = "the quick brown fox jumps over the lazy dog again ".repeat(2_600);
const stream = { stream: true };

export const WORKLOADS: readonly Workload[] = [
  {
    name: "chat",
    title: "small chat",
    path: "/v1/chat/completions",
    body: chat(SMALL),
    dialect: "openai",
    check: "chat",
    connections: 32,
    answers: 12_000,
    seconds: 12,
  },
  {
    name: "long",
    title: "32k-token prompt",
    path: "/v1/chat/completions",
    body: chat(LONG),
    dialect: "openai",
    check: "chat",
    connections: 16,
    answers: 3_000,
    seconds: 12,
  },
  {
    name: "stream",
    title: "stream of 200 chunks",
    path: "/v1/chat/completions",
    body: chat(SMALL, stream),
    dialect: "openai",
    check: "stream",
    connections: 16,
    answers: 3_000,
    seconds: 12,
  },
  {
    name: "slow",
    title: "1,000 slow streams",
    path: "/v1/chat/completions",
    body: chat("SLOW STREAM please", stream),
    dialect: "openai",
    check: "stream",
    connections: 1_000,
    answers: 1_000,
    seconds: 40,
  },
  {
    name: "embeddings",
    title: `embeddings of ${EMBEDDING_INPUTS} inputs`,
    path: "/v1/embeddings",
    body: (model) =>
      JSON.stringify({ model, input: Array.from({ length: EMBEDDING_INPUTS }, (_, index) => `text number ${index}`) }),
    dialect: "openai",
    check: "embeddings",
    connections: 4,
    answers: 120,
    seconds: 15,
  },
  {
    name: "anthropic",
    title: "Anthropic upstream",
    path: "/v1/chat/completions",
    body: chat(SMALL),
    dialect: "anthropic",
    check: "chat",
    connections: 32,
    answers: 8_000,
    seconds: 12,
    floor: "chat",
  },
  {
    name: "anthropic-stream",
    title: "Anthropic upstream, streamed",
    path: "/v1/chat/completions",
    body: chat(SMALL, stream),
    dialect: "anthropic",
    check: "stream",
    connections: 16,
    answers: 2_000,
    seconds: 12,
    floor: "stream",
  },
  {
    name: "gemini",
    title: "Gemini upstream",
    path: "/v1/chat/completions",
    body: chat(SMALL),
    dialect: "gemini",
    check: "chat",
    connections: 32,
    answers: 8_000,
    seconds: 12,
    floor: "chat",
  },
  {
    name: "gemini-stream",
    title: "Gemini upstream, streamed",
    path: "/v1/chat/completions",
    body: chat(SMALL, stream),
    dialect: "gemini",
    check: "stream",
    connections: 16,
    answers: 2_000,
    seconds: 12,
    floor: "stream",
  },
  {
    name: "varied",
    title: "small chat, each one different",
    path: "/v1/chat/completions",
    body: chat(`${SMALL} This is question NUMBER.`),
    dialect: "openai",
    check: "chat",
    connections: 32,
    answers: 12_000,
    seconds: 12,
    vary: 60_000,
  },
  {
    name: "keys",
    title: "small chat, 10,000 keys",
    path: "/v1/chat/completions",
    body: chat(SMALL),
    dialect: "openai",
    check: "chat",
    connections: 32,
    answers: 20_000,
    seconds: 15,
    floor: "chat",
    keys: 10_000,
  },
];
