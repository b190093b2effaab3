import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import { splitModelName } from "../../contract/model-families.ts";
import { upstreamForm } from "../../contract/upstream-form.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { commonParams } from "../../gateway/info/supported-params.ts";
import { findVisible } from "../../gateway/info/visible-models.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const supportedOpenAiParams = (deps: Pick<GatewayDeps, "catalog">) =>
  route({
    method: "GET",
    paths: ["/utils/supported_openai_params"],
    tag: "Utilities",
    summary: "List the OpenAI parameters that a model honours",
    auth: "key",
    query: Type.Object({
      model: Type.String({ minLength: 1, description: "A group, or `provider/model`, configured or not." }),
    }),
    success: Type.Object({ supported_openai_params: Type.Array(Type.String()) }),
    errors: ["invalid_request"],
    handle({ caller, query }) {
      const configured = findVisible(deps.catalog(), caller, query.model)?.deployments;
      const params = commonParams(configured ?? unconfigured(query.model));
      if (params) return json({ supported_openai_params: params });
      throw new GatewayError("invalid_request", `No provider is known for \`${query.model.slice(0, 200)}\`.`, {
        param: "model",
      });
    },
  });

/** What a provider would honour for a model that nobody configured. */
function unconfigured(name: string) {
  const parts = splitModelName(name);
  if (!parts) return [];
  const described = { provider: parts.provider, apiBase: null, info: {} };
  return [{ ...described, ...upstreamForm(described, parts.model) }];
}
