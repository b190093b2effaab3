import Type from "typebox";
import {
  BatchEmbedContentsRequest,
  BatchEmbedContentsResponse,
  CountContentRequest,
  CountContentResponse,
  EmbedContentRequest,
  EmbedContentResponse,
  GenerateContentRequest,
  GenerateContentResponse,
} from "../../contract/generate-content.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { batchEmbedContents, embedContent } from "../../gateway/interfaces/gemini/embed-content.ts";
import { answerContent, countContent } from "../../gateway/interfaces/gemini/generate-content.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { COUNTED_BY } from "./counted-by.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";

/** A model's name may have slashes and colons: what is done with it stands behind the last colon. */
const pathsFor = (action: string): readonly [string, ...string[]] => [
  `/v1beta/models/{model...}:${action}`,
  `/v1/models/{model...}:${action}`,
  `/models/{model...}:${action}`,
];

const params = Type.Object({ model: Type.String({ minLength: 1, maxLength: 512 }) });
const shared = { method: "POST", tag: "Inference", auth: "key", params } as const;

/** Google's interface, for every chat model. */
export const generateContent = (deps: GatewayDeps): Route[] => [
  route({
    ...shared,
    paths: pathsFor("generateContent"),
    summary: "Generate content",
    description:
      "Follows the interface of Google's Gemini API, for every chat model. The key may also come in `x-goog-api-key`, or as `key` in the query.",
    body: GenerateContentRequest,
    success: GenerateContentResponse,
    errors: [...INFERENCE_ERRORS, "json_schema_validation"],
    handle: (context) => answerContent(deps, callOf(context, context.params.model), context.body, "whole"),
  }),
  route({
    ...shared,
    paths: pathsFor("streamGenerateContent"),
    summary: "Generate content as a stream",
    description: "With `alt=sse` as events; without it as one JSON list whose items come one by one.",
    query: Type.Object({ alt: Type.Optional(Type.String({ description: "`sse` for events." })) }),
    body: GenerateContentRequest,
    success: GenerateContentResponse,
    errors: [...INFERENCE_ERRORS, "json_schema_validation"],
    handle(context) {
      const delivery = context.query.alt === "sse" ? "events" : "list";
      return answerContent(deps, callOf(context, context.params.model), context.body, delivery);
    },
  }),
  route({
    ...shared,
    paths: pathsFor("countTokens"),
    summary: "Count the tokens of content",
    description: COUNTED_BY,
    body: CountContentRequest,
    success: CountContentResponse,
    errors: INFERENCE_ERRORS,
    async handle(context) {
      const call = callOf(context, context.params.model);
      const totalTokens = await countContent(deps, call, context.body);
      return json({ totalTokens }, 200, call.responseMeta.addTo({}));
    },
  }),
];

/** Google's embeddings, for every embedding model. */
export const embedContents = (deps: GatewayDeps): Route[] => [
  route({
    ...shared,
    paths: pathsFor("embedContent"),
    summary: "Create an embedding in Google's form",
    description: "`taskType` and `title` go to Google's models; those of other providers have no such fields.",
    body: EmbedContentRequest,
    success: EmbedContentResponse,
    errors: INFERENCE_ERRORS,
    handle: (context) => embedContent(deps, callOf(context, context.params.model), context.body),
  }),
  route({
    ...shared,
    paths: pathsFor("batchEmbedContents"),
    summary: "Create several embeddings in Google's form",
    description: "All requests must have the same `taskType`, `title` and `outputDimensionality`.",
    body: BatchEmbedContentsRequest,
    success: BatchEmbedContentsResponse,
    errors: INFERENCE_ERRORS,
    handle: (context) => batchEmbedContents(deps, callOf(context, context.params.model), context.body),
  }),
];
