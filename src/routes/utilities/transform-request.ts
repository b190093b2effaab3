import Type, { type TSchema } from "typebox";
import { ChatRequest } from "../../contract/chat.ts";
import { CompletionRequest } from "../../contract/completions.ts";
import { EmbeddingRequest } from "../../contract/embeddings.ts";
import { ImageRequest, ModerationRequest, SpeechRequest } from "../../contract/media.ts";
import { RawRequest, type TransformCallType, TransformRequestBody } from "../../contract/models.ts";
import { RerankRequest } from "../../contract/rerank.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { type DryOperation, dryRun } from "../../gateway/operations/dry-run.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { compileReader } from "../../http/validate.ts";
import { callOf } from "../inference/call-of.ts";
import { INFERENCE_ERRORS } from "../inference/inference-errors.ts";
import { modelName } from "../inference/model-name.ts";

const SCHEMAS: Readonly<Record<DryOperation, TSchema>> = {
  chat: ChatRequest,
  completion: CompletionRequest,
  embedding: EmbeddingRequest,
  image: ImageRequest,
  speech: SpeechRequest,
  rerank: RerankRequest,
  moderation: ModerationRequest,
};

/** The call types are named after the functions of a Python library; those with an `a` before them are the same. */
const OPERATIONS: Readonly<Record<string, DryOperation>> = {
  completion: "chat",
  text_completion: "completion",
  embedding: "embedding",
  image_generation: "image",
  speech: "speech",
  rerank: "rerank",
  moderation: "moderation",
};

const operationOf = (type: TransformCallType): DryOperation => OPERATIONS[type] ?? OPERATIONS[type.slice(1)] ?? "chat";

export function transformRequest(deps: GatewayDeps) {
  const readers = new Map(
    Object.entries(SCHEMAS).map(([operation, schema]) => [
      operation,
      compileReader("body", Type.Object({ request_body: schema })),
    ]),
  );
  return route({
    method: "POST",
    paths: ["/utils/transform_request"],
    tag: "Utilities",
    summary: "Show what would be sent to the provider",
    description:
      "A dry run: nothing is sent, and keys and signatures are masked or described. The address is shown with the master key only.",
    auth: "key",
    body: TransformRequestBody,
    success: RawRequest,
    errors: INFERENCE_ERRORS,
    async handle(context) {
      const { call_type, request_body } = context.body;
      const operation = operationOf(call_type);
      readers.get(operation)?.read({ request_body });
      const model = modelName(typeof request_body.model === "string" ? request_body.model : null);
      return json(await dryRun(deps, callOf(context, model), operation, request_body));
    },
  });
}
