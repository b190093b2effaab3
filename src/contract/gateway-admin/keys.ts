import Type, { type Static } from "typebox";
import { nullable } from "../schema.ts";
import {
  Addresses,
  Alias,
  BUDGET_ID,
  bodyOf,
  Duration,
  FURTHER_BUDGETS,
  Id,
  KeyReference,
  LIMITS,
  Metadata,
  MODEL_RATES,
  ModelMap,
  ModelNames,
  PageNumber,
  pageSize,
  queryOf,
  SortOrder,
  Tags,
  type Unserved,
  Usd,
  UserReference,
} from "./fields.ts";

/** With the values that ask for nothing beyond what keys do here anyway. */
export const UNSERVED_OF_KEYS: Unserved = {
  config: [],
  spend: [0],
  agent_id: [],
  project_id: [],
  tpm_limit_type: ["best_effort_throughput"],
  rpm_limit_type: ["best_effort_throughput"],
  permissions: [],
  policies: [],
  prompts: [],
  enforced_params: [],
  allowed_routes: [],
  allowed_passthrough_routes: [],
  allowed_cache_controls: [],
  allowed_vector_store_indexes: [],
  object_permission: [],
  router_settings: [],
  access_group_ids: [],
  key_type: ["default", "llm_api"],
  send_invite_email: [],
  temp_budget_increase: [0],
  temp_budget_expiry: [],
};

/** What can be set of a key. What is left out stays as it is; null empties a field. */
const SETTINGS = {
  ...LIMITS,
  ...MODEL_RATES,
  ...FURTHER_BUDGETS,
  ...BUDGET_ID,
  key_alias: nullable(Alias),
  duration: nullable(Duration),
  models: nullable(ModelNames),
  aliases: nullable(ModelMap),
  metadata: nullable(Metadata),
  guardrails: nullable(Tags),
  tags: nullable(Tags),
  allowed_ips: nullable(Addresses),
  auto_rotate: nullable(Type.Boolean()),
  rotation_interval: nullable({ ...Duration, description: "How often; an hour at least." }),
  rotation_grace_period: nullable({
    ...Duration,
    description: "For how long the value before goes on after each; 7d, or the interval if shorter, unless told.",
  }),
};
const SettingsBody = Type.Object(SETTINGS);
export type KeySettingsFields = Static<typeof SettingsBody>;

const OWNER = { user_id: nullable(UserReference) };
const GENERATE = {
  ...SETTINGS,
  key: nullable(Type.String({ maxLength: 512, description: "A value of the operator's own; new unless told." })),
  team_id: nullable(Id),
  organization_id: nullable(Id),
  blocked: nullable(Type.Boolean()),
};

export const GenerateKeyBody = bodyOf({ ...GENERATE, ...OWNER }, UNSERVED_OF_KEYS);
export const GenerateServiceKeyBody = bodyOf({ ...GENERATE, team_id: Id }, { ...UNSERVED_OF_KEYS, user_id: [] });

const UPDATE = {
  ...SETTINGS,
  ...OWNER,
  team_id: nullable(Id),
  organization_id: nullable(Id),
  blocked: nullable(Type.Boolean()),
};
export const UpdateKeyBody = bodyOf({ key: KeyReference, ...UPDATE }, UNSERVED_OF_KEYS);
export type UpdateKeyFields = Static<typeof UpdateKeyBody>;
export const BulkUpdateKeysBody = bodyOf({ keys: Type.Array(UpdateKeyBody, { minItems: 1, maxItems: 500 }) });

const References = Type.Array(KeyReference, { minItems: 1, maxItems: 100 });
export const DeleteKeysBody = bodyOf({
  keys: nullable(References),
  key_aliases: nullable(Type.Array(Alias, { minItems: 1, maxItems: 100 })),
});
export const KeysInfoBody = bodyOf({ keys: References });
export const OneKeyBody = bodyOf({ key: KeyReference });

export const ResetSpendBody = bodyOf({
  reset_to: { ...Usd, description: "US dollars, down to a billionth; not more than the key has spent." },
});

const REGENERATE = {
  ...SETTINGS,
  new_key: nullable(Type.String({ maxLength: 512, description: "A value of the operator's own; new unless told." })),
  grace_period: nullable({ ...Duration, description: "For how long the value before goes on; seven days at most." }),
};
export const RegenerateKeyBody = bodyOf({ ...REGENERATE, key: KeyReference }, UNSERVED_OF_KEYS);
/** The path names the key. */
export const UNSERVED_BESIDE_PATH: Unserved = { ...UNSERVED_OF_KEYS, key: [] };
export const RegenerateNamedKeyBody = bodyOf(REGENERATE, UNSERVED_BESIDE_PATH);
export type RegenerateFields = Static<typeof RegenerateNamedKeyBody>;

export const KeyInfoQuery = Type.Object({ key: Type.Optional(KeyReference) });
/** A list that is not narrowed as it was asked to be would be taken for one that is. */
export const UNSERVED_OF_KEY_LISTS: Unserved = { project_id: [], access_group_id: [], status: [], expand: [] };
export const KeyListQuery = queryOf(
  {
    page: PageNumber,
    size: pageSize(10),
    user_id: Type.Optional(UserReference),
    team_id: Type.Optional(Id),
    organization_id: Type.Optional(Id),
    key_hash: Type.Optional(KeyReference),
    key_alias: Type.Optional(Alias),
    return_full_object: Type.Optional(Type.Boolean()),
    include_team_keys: Type.Optional(
      Type.Boolean({ description: "Without `user_id` they are there anyway; with it this is refused." }),
    ),
    include_created_by_keys: Type.Optional(
      Type.Boolean({ description: "Whose a key is and who made it is the same here, so that this changes nothing." }),
    ),
    sort_by: Type.Optional(Type.Enum(["created_at", "updated_at", "key_alias"])),
    sort_order: SortOrder,
  },
  UNSERVED_OF_KEY_LISTS,
);
export const KeyAliasesQuery = Type.Object({
  page: PageNumber,
  size: pageSize(50),
  search: Type.Optional(Type.String({ maxLength: 100, pattern: "^[^\\u0000]*$" })),
  team_id: Type.Optional(Id),
});
