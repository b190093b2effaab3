import type { FigureName } from "./figures.ts";
import { CHUNKS, EMBEDDING_INPUTS } from "./responses.ts";

/** One kind of call: the request of a client, and the check of its response. */
interface Call {
  readonly path: string;
  /** Builds the body with the contender's name of the model. */
  readonly body: (model: string) => string;
  /** The interface of the upstream: OpenAI's, or one that the gateway must translate. */
  readonly dialect: "openai" | "anthropic" | "gemini";
  readonly check: "chat" | "stream" | "embeddings";
}

/** One kind of traffic. */
export interface Workload extends Call {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  /** Calls in one round, and the longest time of a round. */
  readonly calls: number;
  readonly seconds: number;
  /** The columns of its table. */
  readonly shows: readonly FigureName[];
  /** The workload of the floor for comparison, when the floor cannot serve this one. */
  readonly floor?: string;
  /** The number of keys, which the calls use in turn. */
  readonly keys?: number;
  /** The number of different requests. Each has another number in place of `NUMBER`, so that no cache has it. */
  readonly vary?: number;
  /** Calls of other workloads, with their counts. A contender that cannot translate gets other calls. */
  readonly mix?: Readonly<Record<string, number>>;
  /** An open loop: calls offered per second, independent of responses. */
  readonly perSecond?: number;
  /** Chunks of a response, when the cost of a chunk is measured. Such a round is never shortened. */
  readonly chunks?: number;
  /** A second client sends cheap requests, to measure how long others wait. */
  readonly pinged?: boolean;
  /** The workload with a shorter prompt, for the cost of a further kilobyte. */
  readonly longerThan?: { readonly workload: string; readonly byKb: number };
  /** Contenders are restarted for it, because earlier workloads have increased their memory. */
  readonly fresh?: boolean;
}

const CPU = ["cpuMicros", "timesFloor", "timesTurnpike"] as const;
const USUAL = [...CPU, "perSecond", "p50Ms", "p99Ms", "residentMb"] as const;
const LATENCY = [...CPU, "p50Ms", "p99Ms", "addedP50Ms", "addedP99Ms"] as const;

const messages = (content: string) => [
  { role: "system", content: "You are a terse assistant." },
  { role: "user", content },
];
const chat =
  (content: string, more: object = {}) =>
  (model: string) =>
    JSON.stringify({ model, messages: messages(content), ...more });

const SMALL = "How much does a gateway add to a call? Answer in a sentence or two, please.";
const stream = { stream: true };
/** Text of about so many bytes; four of them make a token. */
const words = (bytes: number) => "the quick brown fox jumps over the lazy dog again ".repeat(bytes / 50);
const embeddings = (model: string) =>
  JSON.stringify({ model, input: Array.from({ length: EMBEDDING_INPUTS }, (_, index) => `text number ${index}`) });

const CHAT = {
  path: "/v1/chat/completions",
  body: chat(SMALL),
  dialect: "openai",
  check: "chat",
  connections: 32,
  calls: 12_000,
  seconds: 12,
  shows: USUAL,
} as const;
const STREAM = {
  ...CHAT,
  body: chat(SMALL, stream),
  check: "stream",
  connections: 16,
  calls: 3_000,
  shows: [...CPU, "perSecond", "p50Ms", "p99Ms", "addedFirstByteP50Ms", "residentMb"],
} as const;
const PROMPT = { ...CHAT, connections: 16, calls: 3_000 } as const;
const EMBEDDINGS = {
  ...CHAT,
  path: "/v1/embeddings",
  body: embeddings,
  check: "embeddings",
  connections: 4,
  calls: 120,
  seconds: 15,
} as const;

export const WORKLOADS: readonly Workload[] = [
  { ...CHAT, name: "chat", title: "small chat" },
  { ...CHAT, name: "chat-1", title: "small chat, one at a time", connections: 1, calls: 2_000, shows: LATENCY },
  { ...CHAT, name: "chat-20", title: "small chat, 20 offered a second", perSecond: 20, shows: LATENCY },
  { ...CHAT, name: "chat-200", title: "small chat, 200 offered a second", perSecond: 200, shows: LATENCY },
  { ...PROMPT, name: "prompt-40k", title: "prompt of 40 kB", body: chat(words(40_000)) },
  { ...PROMPT, name: "long", title: "32k-token prompt (130 kB)", body: chat(words(130_000)) },
  {
    ...PROMPT,
    name: "prompt-400k",
    title: "prompt of 400 kB",
    body: chat(words(400_000)),
    calls: 1_000,
    longerThan: { workload: "prompt-40k", byKb: 360 },
    shows: [...CPU, "microsPerKb", "perSecond", "p50Ms", "p99Ms", "residentMb"],
  },
  { ...STREAM, name: "stream", title: `stream of ${CHUNKS} chunks` },
  {
    ...STREAM,
    name: "stream-1",
    title: `stream of ${CHUNKS} chunks, one at a time`,
    connections: 1,
    calls: 600,
    shows: [...CPU, "firstByteP50Ms", "firstByteP99Ms", "addedFirstByteP50Ms", "addedFirstByteP99Ms", "addedP50Ms"],
  },
  { ...EMBEDDINGS, name: "embeddings", title: `embeddings of ${EMBEDDING_INPUTS} inputs` },
  {
    ...EMBEDDINGS,
    name: "embeddings-1",
    title: "embeddings, one response of 3 MB at a time, and the waits of another client",
    connections: 1,
    calls: 60,
    pinged: true,
    shows: [...CPU, "stallP50Ms", "stallP99Ms", "stallMs", "addedP50Ms"],
  },
  {
    ...CHAT,
    name: "anthropic",
    title: "Anthropic upstream",
    dialect: "anthropic",
    calls: 8_000,
    floor: "chat",
  },
  {
    ...STREAM,
    name: "anthropic-stream",
    title: "Anthropic upstream, streamed",
    dialect: "anthropic",
    calls: 2_000,
    floor: "stream",
  },
  { ...CHAT, name: "gemini", title: "Gemini upstream", dialect: "gemini", calls: 8_000, floor: "chat" },
  {
    ...STREAM,
    name: "gemini-stream",
    title: "Gemini upstream, streamed",
    dialect: "gemini",
    calls: 2_000,
    floor: "stream",
  },
  {
    ...CHAT,
    name: "varied",
    title: "small chat, each one different",
    body: chat(`${SMALL} This is question NUMBER.`),
    vary: 60_000,
    shows: ["cpuMicros", "overPlainMicros", ...USUAL.slice(1)],
  },
  { ...CHAT, name: "keys", title: "small chat, 10,000 keys", calls: 20_000, floor: "chat", keys: 10_000 },
  {
    ...CHAT,
    name: "mix",
    title: "a mix: of 100 calls 60 small chats, 20 streams, 5 long prompts, 1 embeddings, 14 translated",
    mix: {
      chat: 60,
      stream: 20,
      long: 5,
      embeddings: 1,
      anthropic: 5,
      gemini: 5,
      "anthropic-stream": 2,
      "gemini-stream": 2,
    },
    calls: 4_000,
  },
  {
    ...STREAM,
    name: "slow",
    title: "1,000 slow streams at once, 50 ms between chunks",
    body: chat("SLOW STREAM please", stream),
    connections: 1_000,
    calls: 1_000,
    seconds: 40,
    chunks: CHUNKS,
    fresh: true,
    shows: [...CPU, "chunkMicros", "timesDirect", "residentBeforeMb", "residentMb", "addedFirstByteP50Ms"],
  },
];

export function workloadOf(name: string): Workload {
  const found = WORKLOADS.find((workload) => workload.name === name);
  if (!found)
    throw new Error(`Unknown workload ${name}. The workloads are ${WORKLOADS.map((each) => each.name).join(", ")}.`);
  return found;
}

/** A stream of about a second, which a client can leave in the middle. */
export const BRISK_STREAM: Workload = {
  ...STREAM,
  name: "brisk",
  title: "stream of a second",
  body: chat("BRISK STREAM please", stream),
};
