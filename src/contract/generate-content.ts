import Type, { type Static } from "typebox";
import { ChatRequest } from "./chat.ts";
import { nullable } from "./schema.ts";

const AnyObject = Type.Object({}, { additionalProperties: true });

const { guardrails, caching, cache, num_retries, fallbacks, models, drop_params, metadata, user } =
  ChatRequest.properties;
const { context_window_fallback_dict, enable_json_schema_validation } = ChatRequest.properties;

/** What steers the gateway, under the names that it has in a chat. */
const STEERING = {
  ...{ guardrails, caching, cache, num_retries, fallbacks, models, drop_params, metadata, user },
  ...{ context_window_fallback_dict, enable_json_schema_validation },
};

const EXAMPLE = { contents: [{ role: "user", parts: [{ text: "Hello!" }] }] };

/** The body of Google's `generateContent`; its fields may be spelled `like_this` too, and `gateway/google/` checks them. */
export const GenerateContentRequest = Type.Object(
  {
    contents: Type.Optional(
      Type.Unknown({
        description: "Turns with `role` (`user` or `model`) and `parts`; one turn may stand for a list.",
      }),
    ),
    systemInstruction: Type.Optional(Type.Unknown({ description: "A turn whose parts are text." })),
    tools: Type.Optional(
      Type.Unknown({ description: "Lists of `functionDeclarations`, and Google's own tools for its models." }),
    ),
    toolConfig: nullable(AnyObject),
    generationConfig: nullable(AnyObject),
    safetySettings: Type.Optional(Type.Unknown({ description: "For Google's models; of no effect elsewhere." })),
    ...STEERING,
  },
  { additionalProperties: true, examples: [EXAMPLE] },
);
export type GenerateContentRequest = Static<typeof GenerateContentRequest>;

export const CountContentRequest = Type.Object(
  {
    contents: Type.Optional(Type.Unknown()),
    generateContentRequest: nullable(AnyObject),
    ...STEERING,
  },
  { additionalProperties: true, examples: [EXAMPLE] },
);

export const CountContentResponse = Type.Object({ totalTokens: Type.Integer() });

const EMBEDDING_FIELDS = { caching, cache, num_retries, fallbacks, models, drop_params, metadata, user };

/** The body of Google's `embedContent`; `gateway/google/embed-content.ts` checks its fields. */
export const EmbedContentRequest = Type.Object(
  {
    content: Type.Optional(Type.Unknown({ description: "A turn whose parts are text." })),
    taskType: nullable(Type.String()),
    title: nullable(Type.String()),
    outputDimensionality: nullable(Type.Integer({ minimum: 1 })),
    ...EMBEDDING_FIELDS,
  },
  { additionalProperties: true, examples: [{ content: { parts: [{ text: "Hello!" }] } }] },
);

export const BatchEmbedContentsRequest = Type.Object(
  {
    requests: Type.Optional(Type.Array(AnyObject, { maxItems: 2048, description: "Bodies of `embedContent`." })),
    ...EMBEDDING_FIELDS,
  },
  { additionalProperties: true, examples: [{ requests: [{ content: { parts: [{ text: "Hello!" }] } }] }] },
);

const Vector = Type.Object({ values: Type.Array(Type.Number()) });
const EmbeddingUsage = Type.Object({ promptTokenCount: Type.Integer() });

export const EmbedContentResponse = Type.Object({ embedding: Vector, usageMetadata: EmbeddingUsage });
export const BatchEmbedContentsResponse = Type.Object({
  embeddings: Type.Array(Vector),
  usageMetadata: EmbeddingUsage,
});

/** An answer of Google's form, or one piece of its stream. */
export const GenerateContentResponse = Type.Object(
  {
    candidates: Type.Array(
      Type.Object(
        {
          content: Type.Object({ parts: Type.Array(AnyObject), role: Type.Literal("model") }),
          finishReason: Type.Optional(
            Type.String({ description: "`STOP`, `MAX_TOKENS`, `SAFETY`, or another one of Google's own models." }),
          ),
          index: Type.Integer(),
        },
        { additionalProperties: true },
      ),
    ),
    usageMetadata: Type.Optional(
      Type.Object(
        {
          promptTokenCount: Type.Integer(),
          candidatesTokenCount: Type.Integer({ description: "Without thoughts." }),
          totalTokenCount: Type.Integer(),
          thoughtsTokenCount: Type.Optional(Type.Integer()),
          cachedContentTokenCount: Type.Optional(Type.Integer()),
        },
        { additionalProperties: true },
      ),
    ),
    modelVersion: Type.String(),
    responseId: Type.String(),
  },
  { additionalProperties: true },
);

/** A model as Google's clients list it. */
export const GoogleModel = Type.Object({
  name: Type.String({ description: "`models/` and the name that calls have." }),
  baseModelId: Type.String(),
  version: Type.String(),
  displayName: Type.String(),
  description: Type.String(),
  inputTokenLimit: Type.Optional(Type.Integer()),
  outputTokenLimit: Type.Optional(Type.Integer()),
  supportedGenerationMethods: Type.Array(Type.String()),
});
export type GoogleModel = Static<typeof GoogleModel>;

export const GoogleModelList = Type.Object({
  models: Type.Array(GoogleModel),
  nextPageToken: Type.Optional(Type.String()),
});

export const GOOGLE_PAGE = 50;
export const GOOGLE_PAGE_MAX = 1000;

/** Which part of a list is wanted. */
export const GooglePage = Type.Object({
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: `In Google's form: ${GOOGLE_PAGE} where it is not said, and at most ${GOOGLE_PAGE_MAX}.`,
    }),
  ),
  pageToken: Type.Optional(Type.String({ description: "In Google's form: `nextPageToken` of the page before." })),
});
export type GooglePage = Static<typeof GooglePage>;
