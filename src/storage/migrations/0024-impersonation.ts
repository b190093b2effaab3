import { index } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Sessions in which an administrator sees the platform as one of its users. */
export const impersonation: Migration = {
  name: "0024-impersonation",
  formerName: "0025-impersonation",
  async up(db) {
    await db.schema
      .alterTable("sessions")
      .addColumn("admin_session_id", "text", (c) => c.references("sessions.id").onDelete("cascade"))
      .execute();
    await index(db, "sessions", "admin_session_id");
  },
};
