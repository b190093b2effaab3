import { invitationStatus } from "../../accounts/invitation-rules.ts";
import type { InvitationPreview } from "../../accounts/invitations.ts";
import type { NamedInvitation } from "../../accounts/store.ts";
import type { InvitationPreviewRecord } from "../../contract/invitations.ts";
import type { InvitationRecord } from "../../contract/organizations.ts";
import { isoTime } from "../../contract/users.ts";

export const invitationRecord = ({ invitation, teamName }: NamedInvitation, nowMs: number): InvitationRecord => ({
  id: invitation.id,
  organizationId: invitation.organizationId,
  teamId: invitation.teamId,
  teamName,
  email: invitation.email,
  role: invitation.role,
  status: invitationStatus(invitation, nowMs),
  invitedBy: invitation.invitedBy,
  expiresAt: isoTime(invitation.expiresAt),
  createdAt: isoTime(invitation.createdAt),
});

export const previewRecord = (preview: InvitationPreview): InvitationPreviewRecord => {
  const { invitation, teamName, organizationName, invitedByName, hasAccount } = preview;
  const { organizationId, teamId, email, role, expiresAt } = invitation;
  const names = { organizationId, organizationName, teamId, teamName };
  return { ...names, email, role, invitedByName, hasAccount, expiresAt: isoTime(expiresAt) };
};
