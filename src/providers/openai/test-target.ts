import type { Target, UpstreamRequest } from "../dialect.ts";

/** A deployment for tests, with a key of its own unless the test says otherwise. */
export function targetOf(
  provider: string,
  change: Partial<Target> & { variables?: Record<string, string> } = {},
): Target {
  const { variables = {}, ...rest } = change;
  return {
    provider,
    upstreamModel: "a-model",
    apiBase: null,
    apiKey: "sk-deployment",
    apiVersion: null,
    params: {},
    env: (name) => variables[name],
    ...rest,
  };
}

/** The JSON that a request carries. */
export function jsonOf(request: UpstreamRequest): Record<string, unknown> {
  if (typeof request.body !== "string") throw new Error("the request has no JSON text");
  return JSON.parse(request.body);
}
