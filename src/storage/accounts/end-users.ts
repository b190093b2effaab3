import type { Kysely, Selectable } from "kysely";
import type { EndUser } from "../../accounts/records.ts";
import type { EndUserSpend, EndUserStore } from "../../accounts/store.ts";
import { endUserId } from "../../contract/end-users.ts";
import { budgetPot, subjectOf } from "../../ledger/budget-credit.ts";
import { endOf, openWindows } from "../ledger/budget-windows.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { contains } from "./contains.ts";
import { inOrder } from "./in-order.ts";
import { paged } from "./paged.ts";

/** The window of all time, which every end user has: it goes on counting when the log forgets. */
const EVER = { startsAt: 0, endsAt: endOf(Number.POSITIVE_INFINITY) };

const BY_NAME = { by: "id", direction: "asc" } as const;

export function endUserStore(db: Kysely<Tables>): EndUserStore {
  const named = (organizationId: string, id: string) =>
    db.selectFrom("endUsers").selectAll().where("organizationId", "=", organizationId).where("id", "=", id);
  return {
    async find(organizationId, id) {
      const row = await named(organizationId, id).executeTakeFirst();
      return row === undefined ? null : toEndUser(row);
    },
    async findSpend(organizationId, id) {
      const row = await named(organizationId, id).executeTakeFirst();
      return row === undefined ? null : ((await withSpend(db, [row]))[0] ?? null);
    },
    insert: (endUser) =>
      inTransaction(db, async (tx) => {
        await tx.insertInto("endUsers").values(endUser).execute();
        const { organizationId, createdAt } = endUser;
        const window = { ...EVER, pot: potOf(endUser), subject: subjectOfEndUser(endUser), organizationId };
        await openWindows(tx, [window], createdAt);
      }),
    async update({ organizationId, id, createdAt: _, ...changes }) {
      await db
        .updateTable("endUsers")
        .set(changes)
        .where("organizationId", "=", organizationId)
        .where("id", "=", id)
        .execute();
    },
    async remove(organizationId, id) {
      await db.deleteFrom("endUsers").where("organizationId", "=", organizationId).where("id", "=", id).execute();
    },
    async list(organizationId, page, { search, order = BY_NAME } = {}) {
      let all = db.selectFrom("endUsers").selectAll().where("organizationId", "=", organizationId);
      if (search) all = all.where(({ or }) => or([contains("id", search), contains("alias", search)]));
      const { rows, total } = await paged(inOrder(db, all, order), page);
      return { rows: await withSpend(db, rows), total };
    },
    async organizations() {
      const rows = await db.selectFrom("endUsers").select("organizationId").distinct().execute();
      return rows.map(({ organizationId }) => organizationId);
    },
  };
}

type Row = Selectable<Tables["endUsers"]>;

/** SQLite has numbers in the place of booleans. */
const toEndUser = (row: Row): EndUser => ({ ...row, blocked: Boolean(row.blocked) });

const subjectOfEndUser = ({ organizationId, id }: Row): string => subjectOf("end_user", endUserId(organizationId, id));
const potOf = (row: Row): string => budgetPot(subjectOfEndUser(row), EVER.startsAt);

async function withSpend(db: Kysely<Tables>, rows: readonly Row[]): Promise<readonly EndUserSpend[]> {
  if (rows.length === 0) return [];
  const found = await db
    .selectFrom("budgetSpend")
    .select(["pot", "spent"])
    .where("pot", "in", rows.map(potOf))
    .execute();
  const spent = new Map(found.map((row) => [row.pot, row.spent]));
  return rows.map((row) => ({ endUser: toEndUser(row), spent: spent.get(potOf(row)) ?? 0n }));
}
