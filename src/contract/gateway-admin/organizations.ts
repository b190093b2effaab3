import Type, { type Static } from "typebox";
import { nullable } from "../schema.ts";
import {
  Alias,
  BUDGET_ID,
  bodyOf,
  Email,
  Id,
  LIMITS,
  Metadata,
  ModelNames,
  NewId,
  type Unserved,
  UserReference,
} from "./fields.ts";

export const UNSERVED_OF_ORGANIZATIONS: Unserved = {
  model_rpm_limit: [],
  model_tpm_limit: [],
  model_max_budget: [],
  object_permission: [],
};

const SETTINGS = {
  ...LIMITS,
  ...BUDGET_ID,
  models: nullable(ModelNames),
  metadata: nullable(Metadata),
  billing: Type.Optional(Type.Enum(["prepaid", "invoiced"])),
  blocked: nullable(Type.Boolean()),
};
const SettingsBody = Type.Object(SETTINGS);
export type OrganizationSettingsFields = Static<typeof SettingsBody>;

export const NewOrganizationBody = bodyOf(
  { ...SETTINGS, organization_alias: Alias, organization_id: nullable(NewId) },
  UNSERVED_OF_ORGANIZATIONS,
);
export const UpdateOrganizationFieldsBody = bodyOf(
  { ...SETTINGS, organization_id: Id, organization_alias: nullable(Alias) },
  UNSERVED_OF_ORGANIZATIONS,
);
export const DeleteOrganizationsBody = bodyOf({ organization_ids: Type.Array(Id, { minItems: 1, maxItems: 100 }) });

const Role = Type.Enum(["org_admin", "internal_user", "internal_user_viewer"]);
const Member = Type.Object(
  { role: Role, user_id: nullable(UserReference), user_email: nullable(Email) },
  { additionalProperties: false },
);
const UNSERVED_OF_MEMBERS: Unserved = { max_budget_in_organization: [] };
export const AddOrganizationMemberBody = bodyOf(
  { organization_id: Id, member: Type.Union([Member, Type.Array(Member, { maxItems: 500 })]) },
  UNSERVED_OF_MEMBERS,
);
const ONE_MEMBER = { organization_id: Id, user_id: nullable(UserReference), user_email: nullable(Email) };
export const UpdateOrganizationMemberBody = bodyOf({ ...ONE_MEMBER, role: Role }, UNSERVED_OF_MEMBERS);
export const RemoveOrganizationMemberBody = bodyOf(ONE_MEMBER);
export { UNSERVED_OF_MEMBERS as UNSERVED_OF_ORGANIZATION_MEMBERS };

export const OrganizationInfoQuery = Type.Object({ organization_id: Id });
export const OrganizationListQuery = Type.Object({
  org_id: Type.Optional(Id),
  org_alias: Type.Optional(Alias),
});
