import { type ErrorKind, GatewayError } from "../../contract/errors.ts";
import { classifyFailure, failureMessage } from "../classify.ts";
import type { Classified, UpstreamFailure } from "../dialect.ts";

/** What Ollama's failures mean. It answers many faults of a request with 500, so its words come before the status. */
export function classifyOllama(failure: UpstreamFailure): Classified {
  const general = classifyFailure(failure, "Ollama");
  if (failure.status === 401 || failure.status === 403 || failure.status === 429) return general;
  const kind = kindByWords(failureMessage(failure.body).toLowerCase());
  return kind === null ? general : { kind, message: general.message };
}

/** An error that arrives inside an answer, where no status says what it is. */
export function ollamaError(words: string): GatewayError {
  const said = words.slice(0, 500);
  return new GatewayError(kindByWords(said.toLowerCase()) ?? "upstream", `Ollama: ${said}`);
}

const CONTEXT_WINDOW = [
  "exceeds the context length",
  "exceeds maximum context length",
  "longer than the context length",
  "exceeds the available context",
  "exceed context window",
];

const NOT_READY = ["requires more system memory", "server busy", "loading model", "out of memory"];

function kindByWords(words: string): ErrorKind | null {
  if (CONTEXT_WINDOW.some((fragment) => words.includes(fragment))) return "context_window";
  if (/does not support (tools|thinking)/.test(words)) return "unsupported_params";
  if (words.includes("does not support")) return "invalid_request";
  if (/\bmodel\b.*\bnot found\b/.test(words)) return "model_not_found";
  if (NOT_READY.some((fragment) => words.includes(fragment))) return "upstream_unavailable";
  return null;
}
