import type { Target, UpstreamRequest } from "../dialect.ts";

const DEFAULT_BASE = "http://localhost:11434";

/** A JSON request to Ollama's own interface. Fields that are undefined are left out. */
export const ollamaRequest = (target: Target, operation: string, body: object): UpstreamRequest => ({
  url: `${addressOf(target)}/api/${operation}`,
  headers: { "content-type": "application/json", ...authorization(target) },
  body: JSON.stringify({ ...body, model: target.upstreamModel }),
});

/** The base without the path of either of Ollama's interfaces, which people often copy along with it. */
const addressOf = (target: Target): string =>
  (target.apiBase ?? target.env("OLLAMA_API_BASE") ?? DEFAULT_BASE)
    .replace(/\/+$/, "")
    .replace(/\/(v1|api(\/(chat|generate|embed))?)$/, "");

/** A server of one's own needs no key; the hosted one and most proxies do. */
function authorization(target: Target): Record<string, string> {
  const key = target.apiKey ?? target.env("OLLAMA_API_KEY");
  return key ? { authorization: `Bearer ${key}` } : {};
}
