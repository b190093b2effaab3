import Type, { type Static } from "typebox";
import { nullable } from "../schema.ts";
import {
  Alias,
  BUDGET_ID,
  bodyOf,
  Email,
  FURTHER_BUDGETS,
  Id,
  LIMITS,
  MEMBER_DEFAULTS,
  Metadata,
  MODEL_RATES,
  ModelMap,
  ModelNames,
  NewId,
  PageNumber,
  pageSize,
  queryOf,
  RATES,
  SPENDING,
  Tags,
  type Unserved,
  Usd,
  UserReference,
} from "./fields.ts";

export const UNSERVED_OF_TEAMS: Unserved = {
  tpm_limit_type: ["best_effort_throughput"],
  rpm_limit_type: ["best_effort_throughput"],
  policies: [],
  prompts: [],
  team_member_permissions: [],
  team_member_key_duration: [],
  allowed_passthrough_routes: [],
  object_permission: [],
  router_settings: [],
  access_group_ids: [],
  default_team_member_models: [],
  secret_manager_settings: [],
  admins: [],
  members: [],
};

const SETTINGS = {
  ...LIMITS,
  ...MODEL_RATES,
  ...FURTHER_BUDGETS,
  ...MEMBER_DEFAULTS,
  ...BUDGET_ID,
  models: nullable(ModelNames),
  model_aliases: nullable(ModelMap),
  metadata: nullable(Metadata),
  guardrails: nullable(Tags),
  tags: nullable(Tags),
};
const SettingsBody = Type.Object(SETTINGS);
export type TeamSettingsFields = Static<typeof SettingsBody>;

const TeamMemberFields = Type.Object(
  { role: Type.Enum(["admin", "user"]), user_id: nullable(UserReference), user_email: nullable(Email) },
  { additionalProperties: false },
);
const Members = Type.Array(TeamMemberFields, { maxItems: 500 });

export const NewTeamBody = bodyOf(
  {
    ...SETTINGS,
    team_alias: nullable(Alias),
    team_id: nullable(NewId),
    organization_id: nullable(Id),
    members_with_roles: nullable(Members),
    blocked: nullable(Type.Boolean()),
  },
  UNSERVED_OF_TEAMS,
);
export const UpdateTeamFieldsBody = bodyOf(
  {
    ...SETTINGS,
    team_id: Id,
    team_alias: nullable(Alias),
    organization_id: nullable(Id),
    blocked: nullable(Type.Boolean()),
  },
  { ...UNSERVED_OF_TEAMS, members_with_roles: [] },
);
export const DeleteTeamsBody = bodyOf({ team_ids: Type.Array(Id, { minItems: 1, maxItems: 100 }) });
export const OneTeamBody = bodyOf({ team_id: Id });
export const TeamModelsBody = bodyOf({ team_id: Id, models: ModelNames });

const UNSERVED_OF_MEMBERS: Unserved = { allowed_models: [] };
export const AddTeamMemberBody = bodyOf(
  {
    team_id: Id,
    member: Type.Union([TeamMemberFields, Members]),
    max_budget_in_team: nullable(Usd),
    budget_duration: SPENDING.budget_duration,
  },
  UNSERVED_OF_MEMBERS,
);
export const UpdateTeamMemberBody = bodyOf(
  {
    team_id: Id,
    user_id: nullable(UserReference),
    user_email: nullable(Email),
    role: nullable(Type.Enum(["admin", "user"])),
    max_budget_in_team: nullable(Usd),
    budget_duration: SPENDING.budget_duration,
    ...RATES,
  },
  UNSERVED_OF_MEMBERS,
);
export const RemoveTeamMemberBody = bodyOf({
  team_id: Id,
  user_id: nullable(UserReference),
  user_email: nullable(Email),
});
export { UNSERVED_OF_MEMBERS };

export const TeamInfoQuery = Type.Object({ team_id: Type.Optional(Id) });
/** `/v2/team/list` has them. */
export const UNSERVED_OF_WHOLE_TEAM_LISTS: Unserved = {
  team_id: [],
  team_alias: [],
  page: ["1"],
  page_size: [],
  status: [],
  sort_by: ["created_at"],
  sort_order: ["asc"],
};
export const TeamListQuery = queryOf(
  { user_id: Type.Optional(UserReference), organization_id: Type.Optional(Id) },
  UNSERVED_OF_WHOLE_TEAM_LISTS,
);
/** Teams stand in the order in which they were made. */
export const UNSERVED_OF_TEAM_LISTS: Unserved = {
  user_id: [],
  status: [],
  sort_by: ["created_at"],
  sort_order: ["asc"],
};
export const TeamPageQuery = queryOf(
  {
    page: PageNumber,
    page_size: pageSize(10),
    team_id: Type.Optional(Id),
    organization_id: Type.Optional(Id),
    team_alias: Type.Optional(Alias),
  },
  UNSERVED_OF_TEAM_LISTS,
);
