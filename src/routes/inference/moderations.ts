import Type from "typebox";
import { findGroupOfMode } from "../../catalog/group-of-mode.ts";
import { ModerationRequest } from "../../contract/media.ts";
import type { GatewayDeps } from "../../gateway/deps.ts";
import { passOn } from "../../gateway/pass-on.ts";
import { route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";

/** Without a model, the first group whose mode is moderation is asked. */
export const moderations = (deps: GatewayDeps) =>
  route({
    method: "POST",
    paths: ["/v1/moderations", "/moderations"],
    tag: "Inference",
    summary: "Check content against a provider's policies",
    auth: "key",
    body: ModerationRequest,
    success: Type.Object({}, { additionalProperties: true }),
    errors: INFERENCE_ERRORS,
    handle(context) {
      const model = modelName(context.body.model, findGroupOfMode(deps.catalog().deployments, "moderation"));
      return passOn(deps, callOf(context, model), "moderation", { ...context.body, model });
    },
  });
