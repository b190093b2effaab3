import { SetupError } from "../../contract/setup-error.ts";
import type { Target, UpstreamRequest } from "../dialect.ts";

const DEFAULT_BASE = "https://api.cohere.com";

/** A JSON request to version 2 of Cohere's interface. Fields that are undefined are left out. */
export const cohereRequest = (target: Target, operation: string, body: object): UpstreamRequest => ({
  url: `${addressOf(target)}/v2/${operation}`,
  headers: { "content-type": "application/json", authorization: `Bearer ${keyOf(target)}` },
  body: JSON.stringify({ ...body, model: target.upstreamModel }),
});

/** The base without a version or an operation, which people often copy along with it. */
function addressOf(target: Target): string {
  const base = target.apiBase ?? target.env("COHERE_API_BASE") ?? target.env("CO_API_URL") ?? DEFAULT_BASE;
  return base.replace(/\/+$/, "").replace(/\/v[12](\/(chat|embed|rerank))?$/, "");
}

function keyOf(target: Target): string {
  const key = target.apiKey ?? target.env("COHERE_API_KEY") ?? target.env("CO_API_KEY");
  if (key) return key;
  throw new SetupError(
    "upstream_authentication",
    "Cohere needs a key: set api_key in the deployment or COHERE_API_KEY in the environment.",
  );
}
