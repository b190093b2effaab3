import type { Invitations, IssuedInvitation } from "../../accounts/invitations.ts";
import type { InvitationRecord } from "../../contract/organizations.ts";
import type { Clock } from "../../lib/clock.ts";
import { linkTo } from "../../mail/letters.ts";
import { invitationRecord } from "./invitation-record.ts";

export interface InvitationDeps {
  readonly invitations: Invitations;
  readonly clock: Clock;
  /** Where people reach us, without a slash at the end. */
  readonly publicUrl: () => string;
}

/** With the link, where it is to be handed over by who asked for it. */
export function issuedRecord({ clock, publicUrl }: InvitationDeps, issued: IssuedInvitation): InvitationRecord {
  const record = invitationRecord(issued, clock.nowMs());
  return issued.token === null ? record : { ...record, inviteUrl: linkTo(publicUrl(), "invitation", issued.token) };
}
