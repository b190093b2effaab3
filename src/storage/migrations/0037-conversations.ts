import { index } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** What is said in several responses, as long as somebody wants it. What the master key makes belongs to no team. */
export const conversations: Migration = {
  name: "0037-conversations",
  async up(db) {
    await db.schema
      .createTable("conversations")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("team_id", "text", (c) => c.references("teams.id").onDelete("cascade"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("metadata", "text", (c) => c.notNull())
      .addColumn("items_made", "integer", (c) => c.notNull())
      .addColumn("chars", "integer", (c) => c.notNull())
      .execute();
    await index(db, "conversations", "team_id");

    await db.schema
      .createTable("conversation_items")
      .addColumn("conversation_id", "text", (c) => c.notNull().references("conversations.id").onDelete("cascade"))
      .addColumn("position", "integer", (c) => c.notNull())
      .addColumn("id", "text", (c) => c.notNull())
      .addColumn("item", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("conversation_items_pk", ["conversation_id", "position"])
      .addUniqueConstraint("conversation_items_id", ["conversation_id", "id"])
      .execute();
  },
};
