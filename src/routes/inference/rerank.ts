import Type from "typebox";
import { RerankRequest } from "../../contract/rerank.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { rerank } from "../../gateway/operations/rerank.ts";
import { route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";

export const rerankDocuments = (deps: GatewayDeps) =>
  route({
    method: "POST",
    paths: ["/v1/rerank", "/rerank", "/v2/rerank"],
    tag: "Inference",
    summary: "Order documents by how well they fit a query",
    auth: "key",
    body: RerankRequest,
    success: Type.Object({}, { additionalProperties: true }),
    errors: INFERENCE_ERRORS,
    handle: (context) => rerank(deps, callOf(context, context.body.model), context.body),
  });
