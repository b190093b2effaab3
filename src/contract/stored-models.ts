import Type, { type Static } from "typebox";
import { nullable } from "./schema.ts";

/** Models that are kept in the database, in the words of the configuration file. */
const NO_CONTROL = "^[^\\u0000-\\u001f\\u007f]+$";
export const GroupName = Type.String({ minLength: 1, maxLength: 512, pattern: NO_CONTROL });
/** Without a slash, since it stands in paths. */
export const ModelId = Type.String({ minLength: 1, maxLength: 128, pattern: "^[^/\\s\\u0000-\\u001f\\u007f]+$" });
export const AnyFields = Type.Record(Type.String(), Type.Unknown());

const Params = Type.Record(Type.String(), Type.Unknown(), {
  description: "As in an entry of `model_list`: `model`, `api_key`, `api_base`, limits, prices, defaults for calls.",
});
const Info = Type.Object(
  { id: nullable({ ...ModelId, description: "Made up where it is left out." }) },
  { additionalProperties: true, description: "As in an entry of `model_list`." },
);
/** What stands beside these three would be taken for a part of the model. */
const NO_MORE = { additionalProperties: false } as const;
export const NewModelBody = Type.Object(
  { model_name: GroupName, litellm_params: Params, model_info: nullable(Info) },
  {
    ...NO_MORE,
    examples: [
      { model_name: "fast", litellm_params: { model: "openai/gpt-4o-mini", api_key: "sk-..." }, model_info: {} },
    ],
  },
);

const changes = {
  model_name: nullable(GroupName),
  litellm_params: nullable({ ...Params, description: "What is left out stays; null takes a parameter away." }),
  model_info: nullable(Info),
};
export const PatchModelBody = Type.Object(changes, NO_MORE);
export const UpdateModelBody = Type.Object(
  {
    ...changes,
    model_id: nullable({ ...ModelId, description: "The model; `id` and `model_info.id` name it as well." }),
    id: nullable(ModelId),
  },
  NO_MORE,
);

/** Either spelling names the model. */
export const ModelReference = Type.Object({ id: nullable(ModelId), model_id: nullable(ModelId) }, NO_MORE);

export const TestConnectionBody = Type.Object({
  model_name: nullable(GroupName),
  litellm_params: Params,
  model_info: nullable(Info),
  mode: nullable(Type.String({ maxLength: 50, description: "What the model is for, such as `chat` or `embedding`." })),
});

export const StoredModelEntry = Type.Object({
  model_id: Type.String(),
  model_name: Type.String(),
  litellm_params: Type.Object({}, { additionalProperties: true, description: "Without anything secret." }),
  model_info: Type.Object({}, { additionalProperties: true }),
  blocked: Type.Boolean(),
  created_by: Type.Union([Type.Integer(), Type.Null()]),
  created_at: Type.Union([Type.String(), Type.Null()]),
  updated_at: Type.Union([Type.String(), Type.Null()]),
  warnings: Type.Array(Type.String(), {
    description: "What is odd about it, in the words of the configuration check.",
  }),
});
export type StoredModelEntry = Static<typeof StoredModelEntry>;

export const ConnectionResult = Type.Object({
  status: Type.Enum(["success", "error"]),
  result: Type.Object({
    duration_ms: Type.Number(),
    error: Type.Union([Type.String(), Type.Null()]),
    kind: Type.Union([Type.String(), Type.Null()], {
      description: "What kind of failure it was, as errors are named.",
    }),
  }),
});
