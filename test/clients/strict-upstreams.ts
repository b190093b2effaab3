import { fakeAnthropic } from "../upstreams/anthropic.ts";
import { fakeGemini } from "../upstreams/gemini.ts";
import { fakeOpenAi } from "../upstreams/openai.ts";
import type { Script } from "../upstreams/script.ts";

const MODELS: Readonly<Record<string, readonly [provider: "openai" | "anthropic" | "gemini", model: string]>> = {
  gpt: ["openai", "openai/gpt-4o"],
  reasoner: ["openai", "openai/gpt-5"],
  newer: ["openai", "openai/gpt-5.2"],
  responses: ["openai", "openai/responses/gpt-5"],
  claude: ["anthropic", "anthropic/claude-sonnet-4-5"],
  opus: ["anthropic", "anthropic/claude-opus-4-7"],
  gemini: ["gemini", "gemini/gemini-2.5-flash"],
  // Codex sends more to a model of this name.
  "gpt-5.5": ["anthropic", "anthropic/claude-sonnet-4-5"],
};

/** Upstreams that refuse every field which their API does not have, and a configuration with models at each. */
export function startStrictUpstreams(script: Script) {
  const serve = (fetch: (request: Request) => Promise<Response>) =>
    Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch });
  const servers = {
    openai: serve(fakeOpenAi(script)),
    anthropic: serve(fakeAnthropic(script)),
    gemini: serve(fakeGemini(script)),
  };
  const addresses = {
    openai: `${servers.openai.url.origin}/v1`,
    anthropic: servers.anthropic.url.origin,
    gemini: `${servers.gemini.url.origin}/v1beta`,
  };
  return {
    yaml: JSON.stringify({
      model_list: Object.entries(MODELS).map(([name, [provider, model]]) => ({
        model_name: name,
        litellm_params: { model, api_key: "upstream-secret-0123456789", api_base: addresses[provider] },
        model_info: { id: `${name}-id`, input_cost_per_token: "0.000001", output_cost_per_token: "0.000001" },
      })),
      router_settings: { num_retries: 0, disable_cooldowns: true },
    }),
    stop: () => Promise.all(Object.values(servers).map((server) => server.stop(true))),
  };
}
