import Type, { type Static } from "typebox";
import {
  Aliases,
  FURTHER_BUDGETS,
  LIMITS,
  LIMITS_VIEW,
  MEMBER_LIMITS,
  MEMBER_LIMITS_VIEW,
  MODEL_LIMITS,
  SpentBudget,
  SpentFurtherBudgets,
} from "./limits.ts";
import { nullable } from "./schema.ts";

export { eitherOf, requiredOf } from "./either-of.ts";

/** Schemas of organizations, teams and members as the platform's API has them. Bodies take both spellings of a name. */
const Instant = Type.String({ format: "date-time" });
const Id = Type.String({ minLength: 1, maxLength: 64, pattern: "^[\\w-]+$" });
const Name = Type.String({ minLength: 1, description: "1 to 100 characters, without the spaces around it." });
/** Without control characters: not every database takes them. */
const MAIL_PART = "[^\\s@\\u0000-\\u001f\\u007f]+";
export const MailAddress = Type.String({ maxLength: 254, pattern: `^\\s*${MAIL_PART}@${MAIL_PART}\\s*$` });
const ModelName = Type.String({ minLength: 1, maxLength: 512, pattern: "^[^\\u0000-\\u001f\\u007f]+$" });
const RetentionDays = Type.Integer({ minimum: 1, maximum: 3650 });

const ORGANIZATION_ROLES = ["owner", "admin", "member", "viewer"] as const;
export const INVITATION_ROLES = ["admin", "member", "viewer"] as const;
const TEAM_ROLES = ["admin", "member"] as const;
const BILLINGS = ["prepaid", "invoiced"] as const;
const Metadata = Type.Record(Type.String(), Type.Unknown(), { description: "At most 16 KiB of JSON." });
const Models = Type.Array(ModelName, {
  maxItems: 1000,
  description: "What may be called; an empty list means everything.",
});

const AllowedIps = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: 50,
  description:
    "Where the keys and management tokens may be used from: addresses and CIDR ranges; empty means anywhere.",
});

const { budget, softBudget, soft_budget, budgetWindow, budget_window } = LIMITS;
const ORGANIZATION_SETTINGS = {
  budget,
  softBudget,
  soft_budget,
  budgetWindow,
  budget_window,
  storePrompts: Type.Optional(
    Type.Boolean({ description: "Whether requests and answers are kept with the usage log." }),
  ),
  store_prompts: Type.Optional(Type.Boolean()),
  allowedIps: nullable(AllowedIps),
  allowed_ips: nullable(AllowedIps),
  metadata: nullable(Metadata),
};

const OWN_SETTINGS = {
  billingEmail: nullable(MailAddress),
  billing_email: nullable(MailAddress),
  timezone: Type.Optional(Type.String({ maxLength: 64, description: "An IANA name such as `Europe/Berlin`." })),
  dataRetentionDays: nullable(RetentionDays),
  data_retention_days: nullable(RetentionDays),
  ...ORGANIZATION_SETTINGS,
};
const OwnSettingsBody = Type.Object(OWN_SETTINGS);
export type OwnSettingsFields = Static<typeof OwnSettingsBody>;

export const CreateOrganizationBody = Type.Object({ name: Name, ...OWN_SETTINGS });
export const UpdateOrganizationBody = Type.Object({
  id: Type.Optional(Id),
  name: Type.Optional(Name),
  ...OWN_SETTINGS,
});

/** By administrators of the installation: also what an organization is allowed. */
export const AdminOrganizationBody = Type.Object({
  name: Type.Optional(Name),
  ...LIMITS,
  ...ORGANIZATION_SETTINGS,
  models: nullable(Models),
  billing: Type.Optional(Type.Enum(BILLINGS)),
  status: Type.Optional(Type.Enum(["active", "blocked"])),
  budgetId: nullable({ ...Id, description: "A budget of `/budget/new`; its limits are then the organization's." }),
  budget_id: nullable(Id),
});

export const ActivateOrganizationBody = Type.Object({
  organizationId: Type.Optional(Id),
  organization_id: Type.Optional(Id),
});

export const UpdateMemberBody = Type.Object({ role: Type.Enum(ORGANIZATION_ROLES) });

const TEAM_SETTINGS = {
  models: Type.Optional(Models),
  modelAliases: nullable({ ...Aliases, description: "Names of the team's own for models." }),
  model_aliases: nullable(Aliases),
  guardrails: nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 50,
      description: "Guardrails that look at every call of the team's keys.",
    }),
  ),
  tags: nullable(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50 })),
  metadata: nullable(Metadata),
  ...LIMITS,
  ...MODEL_LIMITS,
  ...FURTHER_BUDGETS,
};
const TeamSettingsBody = Type.Object(TEAM_SETTINGS);
export type TeamSettingsFields = Static<typeof TeamSettingsBody>;

export const CreateTeamBody = Type.Object({ name: Name, ...TEAM_SETTINGS });
export const UpdateTeamBody = Type.Object({ name: Type.Optional(Name), ...TEAM_SETTINGS });

export const UpdateTeamMemberBody = Type.Object({ role: Type.Optional(Type.Enum(TEAM_ROLES)), ...MEMBER_LIMITS });

export const InviteMemberBody = Type.Object({
  teamId: Type.Optional(Id),
  team_id: Type.Optional(Id),
  teamName: nullable(Type.String({ description: "For whoever reads the call; the team is the one of `teamId`." })),
  email: MailAddress,
  role: Type.Enum(INVITATION_ROLES, {
    description: "In the team. A `viewer` is a member of the team who may only read, in the whole organization.",
  }),
});

const UserReference = Type.Union([Type.Integer(), Type.String({ pattern: "^[0-9]{1,20}$" })]);

export const RemoveMemberBody = Type.Object({
  teamId: Type.Optional(Id),
  team_id: Type.Optional(Id),
  memberId: Type.Optional(UserReference),
  member_id: Type.Optional(UserReference),
});

export const OrganizationRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  ownerId: Type.Integer(),
  role: Type.Enum(ORGANIZATION_ROLES),
  billingEmail: Type.Union([Type.String(), Type.Null()]),
  billingEmailVerified: Type.Boolean({
    description: "Whether the reader of `billingEmail` has confirmed it. Until then the owner gets the alerts.",
  }),
  timezone: Type.String(),
  dataRetentionDays: Type.Union([Type.Integer(), Type.Null()]),
  status: Type.Enum(["active", "blocked"]),
  billing: Type.Enum(BILLINGS),
  models: Type.Array(Type.String()),
  ...LIMITS_VIEW,
  storePrompts: Type.Boolean(),
  allowedIps: Type.Array(Type.String()),
  metadata: Metadata,
  membersCount: Type.Integer(),
  teamsCount: Type.Integer(),
  quota: Type.Object({ balance: Type.Integer(), held: Type.Integer(), available: Type.Integer() }),
  createdAt: Instant,
  updatedAt: Instant,
});
export type OrganizationRecord = Static<typeof OrganizationRecord>;

/** Somebody who is asked to join stands among the members, under the id of the invitation. */
export const MemberRecord = Type.Object({
  id: Type.Union([Type.Integer(), Type.String()]),
  userId: Type.Union([Type.Integer(), Type.Null()]),
  email: Type.String(),
  name: Type.String(),
  role: Type.Enum(ORGANIZATION_ROLES),
  status: Type.Enum(["active", "invited"]),
  joinedAt: Type.Union([Instant, Type.Null()]),
});
export type MemberRecord = Static<typeof MemberRecord>;

export const TeamRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  organizationId: Type.String(),
  status: Type.Enum(["active", "blocked"]),
  blocked: Type.Boolean(),
  blockedReason: Type.Union([Type.Enum(["balance", "admin"]), Type.Null()]),
  ...LIMITS_VIEW,
  budget: SpentBudget,
  furtherBudgets: SpentFurtherBudgets,
  modelLimits: Type.Record(
    Type.String(),
    Type.Object({ rpm: Type.Optional(Type.Integer()), tpm: Type.Optional(Type.Integer()) }),
  ),
  models: Type.Array(Type.String()),
  modelAliases: Aliases,
  guardrails: Type.Array(Type.String()),
  tags: Type.Array(Type.String()),
  metadata: Metadata,
  membersCount: Type.Integer(),
  keysCount: Type.Integer(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type TeamRecord = Static<typeof TeamRecord>;

export const TeamMemberRecord = Type.Object({ ...MemberRecord.properties, ...MEMBER_LIMITS_VIEW });
export type TeamMemberRecord = Static<typeof TeamMemberRecord>;

export const InvitationRecord = Type.Object({
  id: Type.String(),
  organizationId: Type.String(),
  teamId: Type.String(),
  teamName: Type.String(),
  email: Type.String(),
  role: Type.Enum(INVITATION_ROLES),
  status: Type.Enum(["pending", "accepted", "revoked", "expired"]),
  invitedBy: Type.Union([Type.Integer(), Type.Null()]),
  expiresAt: Instant,
  createdAt: Instant,
  inviteUrl: Type.Optional(
    Type.String({ description: "To be handed over; only to who invites, and only where no mail is sent." }),
  ),
});
export type InvitationRecord = Static<typeof InvitationRecord>;

export const TeamDetails = Type.Object({
  ...TeamRecord.properties,
  members: Type.Array(TeamMemberRecord),
  invitations: Type.Array(InvitationRecord, { description: "Open ones, for those who may invite." }),
});

export const Done = Type.Object({ success: Type.Boolean() });

const USER_ID_MAX = 2_147_483_647;

/** A user id from a path or a body. What cannot be one becomes 0, which nobody has: it is "not found", not a fault. */
export function toUserId(reference: string | number): number {
  const id = typeof reference === "number" ? reference : /^[0-9]{1,20}$/.test(reference) ? Number(reference) : 0;
  return id >= 1 && id <= USER_ID_MAX ? id : 0;
}
