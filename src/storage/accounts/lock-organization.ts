import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Until the transaction ends nobody else locks it. A write takes the row in both databases; SQLite has no other way to say so. */
export async function lockOrganization(db: Kysely<Tables>, organizationId: string): Promise<void> {
  await db
    .updateTable("organizations")
    .set(({ ref }) => ({ updatedAt: ref("updatedAt") }))
    .where("id", "=", organizationId)
    .execute();
}
