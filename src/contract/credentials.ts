import Type from "typebox";
import { nullable } from "./schema.ts";
import { AnyFields } from "./stored-models.ts";

/** Without a slash, since it stands in paths; `.` and `..` are steps there, and could never be asked for or removed. */
export const CredentialName = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: "^(?!\\.{1,2}$)[^/\\u0000-\\u001f\\u007f]+$",
});

const Values = {
  ...AnyFields,
  description: "Parameters of models, such as `api_key` and `api_base`. Never shown again.",
};
const Text = nullable(Type.String({ maxLength: 4096 }));
const Info = Type.Object(
  { custom_llm_provider: Text, provider: Text, description: Text },
  {
    additionalProperties: true,
    description: "`custom_llm_provider` says whose it is; `description` is for people.",
  },
);
/** A value that stands beside these would be taken for one of the credential. */
const NO_MORE = { additionalProperties: false } as const;

export const NewCredentialBody = Type.Object(
  { credential_name: CredentialName, credential_values: Values, credential_info: nullable(Info) },
  NO_MORE,
);

export const PatchCredentialBody = Type.Object(
  {
    credential_name: nullable({ ...CredentialName, description: "As in the path: a credential keeps its name." }),
    credential_values: nullable({ ...Values, description: "What is left out stays; null takes a value away." }),
    credential_info: nullable(Info),
  },
  NO_MORE,
);

export const CredentialEntry = Type.Object({
  credential_name: Type.String(),
  credential_values: Type.Record(Type.String(), Type.Unknown(), { description: "Masked." }),
  credential_info: Type.Record(Type.String(), Type.Unknown()),
  source: Type.Enum(["configuration", "database"]),
  used_by: Type.Array(Type.String(), { description: "The groups of stored models that stand on it." }),
});

/** Scripts of other gateways look for `success`. */
export const CreatedCredential = Type.Object({ ...CredentialEntry.properties, success: Type.Literal(true) });

/** The platform's face of the same. */
export const ProviderCredentialBody = Type.Object({ name: CredentialName, values: Values });
export const ProviderCredentialChange = Type.Object({ values: Values });

export const ProviderCredentialView = Type.Object({
  name: Type.String(),
  provider: Type.Union([Type.String(), Type.Null()]),
  source: Type.Enum(["configuration", "database"]),
  values: Type.Record(Type.String(), Type.Unknown(), { description: "Masked." }),
  usedBy: Type.Array(Type.String()),
  createdAt: Type.Union([Type.String(), Type.Null()]),
  updatedAt: Type.Union([Type.String(), Type.Null()]),
});

export const AdminProviderView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  configured: Type.Boolean({ description: "Whether it has a model or a credential." }),
  modelsCount: Type.Integer(),
  credentials: Type.Array(ProviderCredentialView),
});
