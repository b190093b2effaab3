import Type, { type Static } from "typebox";
import { INVITATION_ROLES, MailAddress } from "./organizations.ts";

/** Schemas of invitations as the platform's API has them. */
const Instant = Type.String({ format: "date-time" });
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);

/** What a link has after `?token=`. */
export const LinkSecret = Type.String({ minLength: 1, maxLength: 200 });

export const AcceptInvitationBody = Type.Object({ token: LinkSecret });

/** What the holder of a link may know. */
export const InvitationPreviewRecord = Type.Object({
  organizationId: Type.String(),
  organizationName: Type.String(),
  teamId: Type.String(),
  teamName: Type.String(),
  email: MailAddress,
  role: Type.Enum(INVITATION_ROLES),
  invitedByName: orNull(Type.String()),
  hasAccount: Type.Boolean({ description: "Whether somebody has signed up with the address already." }),
  expiresAt: Instant,
});
export type InvitationPreviewRecord = Static<typeof InvitationPreviewRecord>;
