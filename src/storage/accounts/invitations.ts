import type { Kysely } from "kysely";
import type { InvitationStore, NamedInvitation } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { isEmpty } from "./is-empty.ts";

export function invitationStore(db: Kysely<Tables>): InvitationStore {
  const named = () =>
    db
      .selectFrom("invitations as invitation")
      .innerJoin("teams as team", "team.id", "invitation.teamId")
      .selectAll("invitation")
      .select("team.name as teamName");
  type Row = Awaited<ReturnType<ReturnType<typeof named>["executeTakeFirstOrThrow"]>>;
  const toNamed = ({ teamName, ...invitation }: Row): NamedInvitation => ({ invitation, teamName });
  return {
    async find(id) {
      const row = await named().where("invitation.id", "=", id).executeTakeFirst();
      return row ? toNamed(row) : null;
    },
    async findByHash(tokenHash) {
      const row = await named().where("invitation.tokenHash", "=", tokenHash).executeTakeFirst();
      return row ? toNamed(row) : null;
    },
    async insert(invitation) {
      await db.insertInto("invitations").values(invitation).execute();
    },
    async update(id, given) {
      const { email, role, tokenHash, status, invitedBy, mailedAt, expiresAt } = given;
      const { acceptedAt, acceptedBy, updatedAt } = given;
      const sending = { email, role, tokenHash, invitedBy, mailedAt, expiresAt };
      const changes = { ...sending, status, acceptedAt, acceptedBy, updatedAt };
      if (isEmpty(changes)) return;
      await db.updateTable("invitations").set(changes).where("id", "=", id).execute();
    },
    async listPending(organizationId, nowMs) {
      const rows = await named()
        .where("invitation.organizationId", "=", organizationId)
        .where("invitation.status", "=", "pending")
        .where("invitation.expiresAt", ">", nowMs)
        .orderBy("invitation.createdAt", "desc")
        .orderBy("invitation.id", "desc")
        .execute();
      return rows.map(toNamed);
    },
  };
}
