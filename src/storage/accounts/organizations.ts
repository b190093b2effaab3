import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from "kysely";
import type { Organization } from "../../accounts/records.ts";
import type { OrganizationOrder, OrganizationStore } from "../../accounts/store.ts";
import { walletOf } from "../../ledger/entry.ts";
import type { Tables } from "../tables.ts";
import { byName } from "./by-name.ts";
import { contains } from "./contains.ts";
import { inOrder } from "./in-order.ts";
import { isEmpty } from "./is-empty.ts";
import { decodeObject, decodeStrings, encodeJson } from "./json-columns.ts";
import { paged } from "./paged.ts";

export function organizationStore(db: Kysely<Tables>): OrganizationStore {
  return {
    async find(id) {
      const row = await db.selectFrom("organizations").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toOrganization(row);
    },
    async insert(organization) {
      await db.insertInto("organizations").values(toRow(organization)).execute();
    },
    async update(id, changes) {
      const row = toChanges(changes);
      if (isEmpty(row)) return;
      await db.updateTable("organizations").set(row).where("id", "=", id).execute();
    },
    async keepZone(organizationId, timezone, endedAt) {
      // Of two changes at the same moment the first one ended what had held.
      const row = { organizationId, timezone, endedAt };
      await db
        .insertInto("organizationZones")
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    putStorageQuota: (id, bytes) => putStorageQuota(db, id, bytes),
    async remove(id) {
      // The foreign keys take the teams, their keys and the memberships with it.
      await db.deleteFrom("organizations").where("id", "=", id).execute();
    },
    async list({ search }, page, order = BY_ID) {
      let found = inOrder(db, selectWithBalance(db), order);
      if (search !== undefined) {
        found = found.where(({ or }) => or([contains("name", search), contains("slug", search)]));
      }
      const { rows, total } = await paged(found, page);
      return { rows: rows.map(({ balance: _, ...row }) => toOrganization(row)), total };
    },
    async listOf(userId) {
      const rows = await db
        .selectFrom("organizationMembers as member")
        .innerJoin("organizations as organization", "organization.id", "member.organizationId")
        .selectAll("organization")
        .select("member.role")
        .where("member.userId", "=", userId)
        .orderBy("organization.id")
        .execute();
      return byName(rows, ({ name }) => name).map(({ role, ...row }) => ({ organization: toOrganization(row), role }));
    },
    async namesOf(userIds) {
      // PostgreSQL has no empty list.
      if (userIds.length === 0) return [];
      const rows = await db
        .selectFrom("organizationMembers as member")
        .innerJoin("organizations as organization", "organization.id", "member.organizationId")
        .select(["member.userId", "organization.id", "organization.name", "member.role"])
        .where("member.userId", "in", userIds)
        .orderBy("organization.id")
        .execute();
      return byName(rows, ({ name }) => name).map((row) => ({ ...row, userId: Number(row.userId) }));
    },
  };
}

const BY_ID: OrganizationOrder = { by: "id", direction: "asc" };

/** Who never had credit has no account in the books. */
const selectWithBalance = (db: Kysely<Tables>) =>
  db
    .selectFrom("organizations")
    .selectAll("organizations")
    .select(({ selectFrom }) =>
      sql<bigint>`coalesce((${selectFrom("ledgerAccounts")
        .select("balance")
        .where("ledgerAccounts.id", "=", sql<string>`${walletOf("")} || organizations.id`)}), 0)`.as("balance"),
    );

function toOrganization(row: Selectable<Tables["organizations"]>): Organization {
  return {
    ...row,
    models: decodeStrings(row.models),
    allowedIps: decodeStrings(row.allowedIps),
    metadata: decodeObject(row.metadata),
  };
}

function toRow(organization: Organization): Insertable<Tables["organizations"]> {
  return {
    ...organization,
    models: encodeJson(organization.models),
    allowedIps: encodeJson(organization.allowedIps),
    metadata: encodeJson(organization.metadata),
  };
}

/** Without what makes the organization this one. */
function toChanges(changes: Partial<Organization>): Updateable<Tables["organizations"]> {
  const { id: _id, createdAt: _createdAt, models, allowedIps, metadata, ...plain } = changes;
  return {
    ...plain,
    models: models && encodeJson(models),
    allowedIps: allowedIps && encodeJson(allowedIps),
    metadata: metadata && encodeJson(metadata),
  };
}

async function putStorageQuota(db: Kysely<Tables>, organizationId: string, quotaBytes: number | null): Promise<void> {
  if (quotaBytes === null) {
    await db.deleteFrom("storageQuotas").where("organizationId", "=", organizationId).execute();
    return;
  }
  const bytes = BigInt(quotaBytes);
  await db
    .insertInto("storageQuotas")
    .values({ organizationId, bytes })
    .onConflict((conflict) => conflict.column("organizationId").doUpdateSet({ bytes }))
    .execute();
}
