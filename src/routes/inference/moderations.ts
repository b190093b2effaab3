import Type from "typebox";
import { findGroupOfMode } from "../../catalog/group-of-mode.ts";
import { ModerationRequest } from "../../contract/media.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { forwardRequest } from "../../gateway/operations/forward.ts";
import { route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";

/** Without a model, the group of `general_settings.moderation_model` is asked, or else the first moderation model. */
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
      const usual = deps.settings().moderationModel;
      const model = modelName(context.body.model, usual, findGroupOfMode(deps.catalog().deployments, "moderation"));
      return forwardRequest(deps, callOf(context, model), "moderation", { ...context.body, model });
    },
  });
