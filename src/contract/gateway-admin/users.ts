import Type, { type Static } from "typebox";
import { nullable } from "../schema.ts";
import {
  Alias,
  BUDGET_ID,
  bodyOf,
  Email,
  FURTHER_BUDGETS,
  Id,
  Metadata,
  ModelNames,
  PageNumber,
  pageSize,
  queryOf,
  RATES,
  Rate,
  SPENDING,
  type Unserved,
  UserReference,
} from "./fields.ts";

export const UNSERVED_OF_USERS: Unserved = {
  soft_budget: [],
  model_rpm_limit: [],
  model_tpm_limit: [],
  aliases: [],
  config: [],
  permissions: [],
  guardrails: [],
  object_permission: [],
  allowed_cache_controls: [],
  spend: [0],
  blocked: [],
  sso_user_id: [],
  send_invite_email: [],
  password: [],
  duration: [],
  key_alias: [],
  team_id: [],
};

const OF_KEYS = "It belongs to a key: send it with POST /key/generate.";
const OF_KEYS_ALONE = "Set it on the keys of the user.";

/** What does the same as a field that users do not have. */
export const INSTEAD_OF_USER_FIELDS = {
  soft_budget: "Set it on a key, a team or an organization.",
  model_rpm_limit: OF_KEYS_ALONE,
  model_tpm_limit: OF_KEYS_ALONE,
  guardrails: OF_KEYS_ALONE,
  aliases: OF_KEYS,
  duration: OF_KEYS,
  key_alias: OF_KEYS,
  team_id: "`teams` names the teams of the user, and POST /key/generate takes the `team_id` of a key.",
  spend: "The spend of a user is the sum of the usage log.",
  blocked: "PATCH /api/admin/users/{id} disables and enables users by `status`.",
  sso_user_id: "Single sign-on finds the user by the email address.",
  send_invite_email: "POST /api/gw/teams/invite-member invites by email.",
  password: "POST /api/admin/users/{id}/password-reset makes a link by which the user sets a password.",
} as const;

const Role = Type.Enum(["proxy_admin", "proxy_admin_viewer", "internal_user", "internal_user_viewer"]);
export type WireUserRole = Static<typeof Role>;
const SETTINGS = {
  ...SPENDING,
  ...RATES,
  ...FURTHER_BUDGETS,
  ...BUDGET_ID,
  max_parallel_requests: nullable(Rate),
  models: nullable({
    ...ModelNames,
    description: "Models that the user's keys may call, within the lists of the key and its team; empty means all.",
  }),
  metadata: nullable(Metadata),
};
const SettingsBody = Type.Object(SETTINGS);
export type UserSettingsFields = Static<typeof SettingsBody>;

const TeamReference = Type.Union([Id, Type.Object({ team_id: Id }, { additionalProperties: false })]);
export const NewUserBody = bodyOf(
  {
    ...SETTINGS,
    user_id: nullable({ ...UserReference, description: "An id that you choose, not of digits alone." }),
    user_email: nullable({ ...Email, description: "Without it the record has no sign-in." }),
    user_alias: nullable(Alias),
    user_role: nullable(Role),
    teams: nullable(Type.Array(TeamReference, { maxItems: 50 })),
    organizations: nullable(Type.Array(Id, { maxItems: 50 })),
    auto_create_key: nullable(Type.Boolean()),
  },
  UNSERVED_OF_USERS,
);
export const UpdateUserBody = bodyOf(
  {
    ...SETTINGS,
    user_id: nullable(UserReference),
    user_email: nullable(Email),
    user_alias: nullable(Alias),
    user_role: nullable(Role),
  },
  UNSERVED_OF_USERS,
);
export const DeleteUsersBody = bodyOf({ user_ids: Type.Array(UserReference, { minItems: 1, maxItems: 100 }) });
export const UserInfoQuery = Type.Object({ user_id: Type.Optional(UserReference) });
/** Users stand in the order in which they came. */
export const UNSERVED_OF_USER_LISTS: Unserved = {
  sso_user_ids: [],
  team: [],
  organization_ids: [],
  sort_by: ["created_at"],
  sort_order: ["asc"],
};
export const UserListQuery = queryOf(
  {
    page: PageNumber,
    page_size: pageSize(25),
    user_email: Type.Optional(Type.String({ maxLength: 254, pattern: "^[^\\u0000]*$" })),
    role: Type.Optional(Role),
    user_ids: Type.Optional(Type.String({ maxLength: 4096, description: "With commas between." })),
  },
  UNSERVED_OF_USER_LISTS,
);
