import type { Target, UpstreamRequest } from "../dialect.ts";

/** Requests to an upstream that speaks OpenAI's interface. */
export interface OpenAiRequests {
  json(target: Target, path: string, body: object): UpstreamRequest;
  /** The content type of a form is set by whoever sends it: it names the boundary. */
  form(target: Target, path: string, form: FormData): UpstreamRequest;
}

export const openAiRequests = (defaultBase: string): OpenAiRequests => ({
  json: (target, path, body) => ({
    url: address(target, defaultBase, path),
    headers: { "content-type": "application/json", ...authorization(target) },
    body: JSON.stringify({ ...body, model: target.upstreamModel }),
  }),
  form(target, path, form) {
    form.set("model", target.upstreamModel);
    return { url: address(target, defaultBase, path), headers: authorization(target), body: form };
  },
});

const address = (target: Target, defaultBase: string, path: string): string =>
  (target.apiBase ?? defaultBase).replace(/\/+$/, "") + path;

const authorization = (target: Target): Record<string, string> =>
  target.apiKey === null ? {} : { authorization: `Bearer ${target.apiKey}` };
