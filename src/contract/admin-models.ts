import Type, { type Static } from "typebox";
import { nullable } from "./schema.ts";
import { AnyFields, GroupName, ModelId } from "./stored-models.ts";

/** Models as the platform's administrators write and read them. Bodies take both spellings of a name. */
const Text = (description: string, maxLength = 2_048) =>
  nullable(Type.String({ minLength: 1, maxLength, description }));
const Nano = (what: string) =>
  nullable(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: `${what}: nano-USD per million.` }),
  );

const settings = {
  type: Text("What it is for, such as `chat`, `embedding` or `image`.", 50),
  prices: nullable(
    Type.Record(Type.String(), Type.Union([Type.String({ maxLength: 100 }), Type.Number()]), {
      description:
        "USD per unit as decimal text or number, by component (`input`, `output`, `cache_read` ...) or by the name that " +
        "the configuration file has (`input_cost_per_token` ...).",
    }),
  ),
  inputPrice: Nano("Input tokens"),
  input_price: Nano("The same as `inputPrice`"),
  outputPrice: Nano("Output tokens"),
  output_price: Nano("The same as `outputPrice`"),
  cachedInputPrice: Nano("Cached input tokens"),
  cached_input_price: Nano("The same as `cachedInputPrice`"),
  apiKey: Text("Kept sealed and never shown again."),
  api_key: Text("The same as `apiKey`."),
  apiBase: Text("Where it is reached, if not at the provider's own address."),
  api_base: Text("The same as `apiBase`."),
  apiVersion: Text("For providers whose interface has one.", 100),
  api_version: Text("The same as `apiVersion`.", 100),
  credentialName: Text("A kept credential whose values it takes over.", 128),
  credential_name: Text("The same as `credentialName`.", 128),
  accessGroups: nullable(Type.Array(GroupName, { maxItems: 100 })),
  access_groups: nullable(Type.Array(GroupName, { maxItems: 100 })),
  contextLength: nullable(Type.Integer({ minimum: 1 })),
  context_length: nullable(Type.Integer({ minimum: 1 })),
  maxOutputTokens: nullable(Type.Integer({ minimum: 1 })),
  max_output_tokens: nullable(Type.Integer({ minimum: 1 })),
  params: nullable({ ...AnyFields, description: "Further `litellm_params`, as in the configuration file." }),
  info: nullable({ ...AnyFields, description: "Further `model_info`, as in the configuration file." }),
};

const Provider = Type.String({ minLength: 1, maxLength: 100 });
const UpstreamModel = Type.String({ minLength: 1, maxLength: 512 });

export const CreateAdminModelBody = Type.Object({
  provider: Provider,
  inferenceModelId: Type.Optional({ ...UpstreamModel, description: "The model's name as the provider knows it." }),
  inference_model_id: Type.Optional(UpstreamModel),
  name: nullable({ ...GroupName, description: "The name that callers use; the provider's own unless told." }),
  id: nullable(ModelId),
  ...settings,
});

export const UpdateAdminModelBody = Type.Object({
  provider: Type.Optional(Provider),
  inferenceModelId: Type.Optional(UpstreamModel),
  inference_model_id: Type.Optional(UpstreamModel),
  name: Type.Optional(GroupName),
  status: Type.Optional(Type.Enum(["enabled", "disabled"])),
  ...settings,
});
export type UpdateAdminModelBody = Static<typeof UpdateAdminModelBody>;

export const AdminModelView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    provider: Type.String(),
    source: Type.Enum(["configuration", "built-in", "database"]),
    readOnly: Type.Boolean({ description: "Models of the configuration file are changed there." }),
    status: Type.Enum(["enabled", "disabled"]),
    faults: Type.Array(Type.String(), { description: "Why it cannot be called at the moment." }),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: "After a change: what is odd about it, such as a key or a price that is missing.",
      }),
    ),
  },
  { additionalProperties: true },
);

export const AdminModelTest = Type.Object({
  ok: Type.Boolean(),
  latencyMs: Type.Number(),
  error: Type.Union([Type.String(), Type.Null()]),
  kind: Type.Union([Type.String(), Type.Null()]),
});
