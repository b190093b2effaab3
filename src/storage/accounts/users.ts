import type { Kysely, Selectable } from "kysely";
import type { NewUser, User } from "../../accounts/records.ts";
import type { UserOrder, UserStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { contains } from "./contains.ts";
import { inOrder } from "./in-order.ts";
import { isEmpty } from "./is-empty.ts";
import { decodeFurtherBudgets, decodeObject, encodeJson } from "./json-columns.ts";
import { paged } from "./paged.ts";

export function userStore(db: Kysely<Tables>): UserStore {
  return {
    async find(id) {
      const row = await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toUser(row);
    },
    async findByEmail(email) {
      const row = await db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst();
      return row === undefined ? null : toUser(row);
    },
    async findFirstAdmin() {
      const row = await db
        .selectFrom("users")
        .selectAll()
        .where("role", "=", "admin")
        .where("status", "=", "active")
        .orderBy("id")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : toUser(row);
    },
    async insert(user) {
      // An id in the argument would pass in one database and fail in the other.
      const { id: _id, metadata = {}, furtherBudgets = [], ...plain } = user as NewUser & { id?: number };
      const row = { ...plain, metadata: encodeJson(metadata), furtherBudgets: encodeJson(furtherBudgets) };
      return toUser(await db.insertInto("users").values(row).returningAll().executeTakeFirstOrThrow());
    },
    async update(id, changes) {
      const { id: _id, createdAt: _createdAt, metadata, furtherBudgets, ...plain } = changes as Partial<User>;
      const row = {
        ...plain,
        metadata: metadata && encodeJson(metadata),
        furtherBudgets: furtherBudgets && encodeJson(furtherBudgets),
      };
      if (isEmpty(row)) return;
      await db.updateTable("users").set(row).where("id", "=", id).execute();
    },
    async list({ search, role, ids }, page, order = BY_ID) {
      let found = inOrder(db, db.selectFrom("users").selectAll(), order);
      if (role !== undefined) found = found.where("role", "=", role);
      if (ids !== undefined) found = found.where("id", "in", ids);
      if (search !== undefined) {
        found = found.where(({ or }) => or([contains("email", search), contains("name", search)]));
      }
      const { rows, total } = await paged(found, page);
      return { rows: rows.map(toUser), total };
    },
  };
}

const BY_ID: UserOrder = { by: "id", direction: "asc" };

function toUser(row: Selectable<Tables["users"]>): User {
  return { ...row, metadata: decodeObject(row.metadata), furtherBudgets: decodeFurtherBudgets(row.furtherBudgets) };
}
