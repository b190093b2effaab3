import type { Deployment } from "../../../contract/deployment.ts";
import type { MessagesRequest } from "../../../contract/messages.ts";
import type { Provider } from "../../../providers/dialect.ts";
import { findProvider } from "../../../providers/registry.ts";
import { prepareFields } from "../../attempts/prepare-fields.ts";
import { toRequest } from "./read-request.ts";

export const CACHE = { type: "ephemeral" };
export const HI = { messages: [{ role: "user", content: "Hi" }], max_tokens: 100 };

/** The fields that a provider gets of a body. */
export function fieldsFor(providerModel: string, body: object, betas: string | null = null) {
  const [id = "", model = ""] = providerModel.split("/");
  const deployment = { provider: id, upstreamModel: model, params: {}, info: {} } as unknown as Deployment;
  const provider = findProvider(id) as Provider;
  const request = toRequest({ model: "group", ...body } as unknown as MessagesRequest, betas);
  const { drop_params: drop } = body as { drop_params?: boolean };
  const fields = prepareFields("chat", request, deployment, provider, drop === true);
  return { fields: fields as Record<string, unknown>, provider, deployment };
}

/** The body that Anthropic's own upstream gets. */
export function sentToAnthropic(body: object, betas: string | null = null, model = "anthropic/claude-sonnet-4-5") {
  const { fields, provider, deployment } = fieldsFor(model, body, betas);
  const target = { ...deployment, apiKey: "k", apiBase: null, apiVersion: null, env: () => undefined };
  const sent = provider.chat?.encode(fields as never, target as never);
  return { headers: sent?.headers ?? {}, body: JSON.parse(String(sent?.body)) as Record<string, unknown> };
}

export const chat = (body: object, model = "openai/gpt-4o") => fieldsFor(model, body).fields;
