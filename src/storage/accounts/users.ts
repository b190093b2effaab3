import type { Kysely, Selectable } from "kysely";
import type { NewUser, User } from "../../accounts/records.ts";
import type { UserOrder, UserStore } from "../../accounts/store.ts";
import { newId } from "../../lib/ids.ts";
import type { Tables } from "../tables.ts";
import { contains } from "./contains.ts";
import { inOrder } from "./in-order.ts";
import { isEmpty } from "./is-empty.ts";
import { decodeFurtherBudgets, decodeObject, decodeStrings, encodeJson } from "./json-columns.ts";
import { paged } from "./paged.ts";

export function userStore(db: Kysely<Tables>): UserStore {
  return {
    async find(id) {
      const row = await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toUser(row);
    },
    async findByEmail(email) {
      const row = await db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst();
      return row === undefined || fromStoredEmail(row.email) !== email ? null : toUser(row);
    },
    async findByExternalId(externalId) {
      const row = await db.selectFrom("users").selectAll().where("externalId", "=", externalId).executeTakeFirst();
      return row === undefined ? null : toUser(row);
    },
    async externalIdsOf(ids) {
      // PostgreSQL has no empty list.
      if (ids.length === 0) return new Map();
      const rows = await db.selectFrom("users").select(["id", "externalId"]).where("id", "in", ids).execute();
      return new Map(rows.flatMap(({ id, externalId }) => (externalId === null ? [] : [[id, externalId] as const])));
    },
    async findFirstAdmin() {
      const row = await db
        .selectFrom("users")
        .selectAll()
        .where("role", "=", "admin")
        .where("viewer", "=", false)
        .where("status", "=", "active")
        .orderBy("id")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : toUser(row);
    },
    async insert(user) {
      // An id in the argument would pass in one database and fail in the other.
      const {
        id: _id,
        metadata = {},
        models = [],
        furtherBudgets = [],
        email,
        ...plain
      } = user as NewUser & Partial<User>;
      const row = { ...plain, email: toStoredEmail(email), ...jsonColumns({ metadata, models, furtherBudgets }) };
      return toUser(await db.insertInto("users").values(row).returningAll().executeTakeFirstOrThrow());
    },
    async update(id, changes) {
      const {
        id: _id,
        createdAt: _createdAt,
        metadata,
        models,
        furtherBudgets,
        email,
        ...plain
      } = changes as Partial<User>;
      const row = {
        ...plain,
        ...(email !== undefined && { email: toStoredEmail(email) }),
        ...jsonColumns({ metadata, models, furtherBudgets }),
      };
      if (isEmpty(row)) return;
      await db.updateTable("users").set(row).where("id", "=", id).execute();
    },
    async list(filter, page, order = BY_ID) {
      const { rows, total } = await paged(matching(db, filter, order), page);
      return { rows: rows.map(toUser), total };
    },
  };
}

function matching(
  db: Kysely<Tables>,
  { search, role, viewer, ids }: Parameters<UserStore["list"]>[0],
  order: UserOrder,
) {
  let found = inOrder(db, db.selectFrom("users").selectAll(), order);
  if (role !== undefined) found = found.where("role", "=", role);
  if (viewer !== undefined) found = found.where("viewer", "=", viewer);
  if (ids !== undefined) found = found.where("id", "in", ids);
  if (search === undefined) return found;
  return found.where(({ or }) =>
    or([contains("email", search), contains("name", search), contains("external_id", search)]),
  );
}

const jsonColumns = <F extends object>(
  fields: F,
): { [K in keyof F]: undefined extends F[K] ? string | undefined : string } =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === undefined ? undefined : encodeJson(value)]),
  ) as never;

const BY_ID: UserOrder = { by: "id", direction: "asc" };

/**
 * The column has no nulls and no duplicates, so a user without an email gets a unique text that is not an address. It
 * never leaves the storage: the program reads an empty email. No address ends in `@invalid` (RFC 2606).
 */
const ABSENT = /^no-email-[0-9a-f-]{36}@invalid$/;

const toStoredEmail = (email: string): string => (email === "" ? `no-email-${newId()}@invalid` : email);

export const fromStoredEmail = (stored: string): string => (ABSENT.test(stored) ? "" : stored);

/** A row of a user, or of a member with the columns of the user, as the program reads it. */
export const withEmail = <Row extends { readonly email: string }>(row: Row): Row => ({
  ...row,
  email: fromStoredEmail(row.email),
});

function toUser(row: Selectable<Tables["users"]>): User {
  return {
    ...row,
    email: fromStoredEmail(row.email),
    metadata: decodeObject(row.metadata),
    models: decodeStrings(row.models),
    furtherBudgets: decodeFurtherBudgets(row.furtherBudgets),
  };
}
