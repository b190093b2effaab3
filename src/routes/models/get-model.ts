import Type from "typebox";
import { ModelEntry } from "../../contract/models.ts";
import { findVisible } from "../../gateway/info/visible-models.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { describeForAnthropic, isOfAnthropic } from "./anthropic-models.ts";
import { describeForGoogle, isOfGoogle } from "./google-models.ts";
import type { ModelDeps } from "./model-deps.ts";
import { modelEntry } from "./model-entry.ts";
import { unknownModel } from "./unknown-model.ts";

export const getModel = (deps: ModelDeps) =>
  route({
    method: "GET",
    paths: ["/v1/models/{model_id...}", "/models/{model_id...}", "/anthropic/v1/models/{model_id...}"],
    tag: "Models",
    summary: "Tell whether a model exists and who serves it",
    description:
      "A name with slashes may be sent plain or encoded. With the key in `x-goog-api-key`, in Google's form; " +
      "with `anthropic-version`, in Anthropic's.",
    auth: "key",
    params: Type.Object({ model_id: Type.String() }),
    success: ModelEntry,
    errors: ["model_not_found"],
    handle({ caller, params, request }) {
      const found = findVisible(deps.catalog(), caller, params.model_id);
      if (!found) throw unknownModel(params.model_id);
      if (isOfAnthropic(request)) return describeForAnthropic(deps, found);
      if (isOfGoogle(request)) return describeForGoogle(deps, found);
      return json(modelEntry(found.name, found.deployments[0]?.provider));
    },
  });
