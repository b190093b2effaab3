import { sql } from "kysely";
import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Files, and vector stores in which they are searched. What files hold lies in the data folder or in a bucket. */
export const files: Migration = {
  name: "0015-files",
  async up(db, columns) {
    await db.schema
      .createTable("files")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("team_id", "text", (c) => c.references("teams.id").onDelete("cascade"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("expires_at", "bigint")
      .addColumn("size_bytes", "bigint", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("purpose", "text", (c) => c.notNull())
      .execute();
    await index(db, "files", "team_id", "id");
    await index(db, "files", "expires_at");

    await db.schema
      .createTable("vector_stores")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("team_id", "text", (c) => c.references("teams.id").onDelete("cascade"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("last_active_at", "bigint", (c) => c.notNull())
      .addColumn("expires_at", "bigint")
      .addColumn("fields", "text", (c) => c.notNull())
      .execute();
    await index(db, "vector_stores", "team_id", "id");
    await index(db, "vector_stores", "expires_at");

    await db.schema
      .createTable("vector_store_batches")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("vector_store_id", "text", (c) => c.notNull().references("vector_stores.id").onDelete("cascade"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .execute();
    await index(db, "vector_store_batches", "vector_store_id");

    await db.schema
      .createTable("vector_store_files")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("vector_store_id", "text", (c) => c.notNull().references("vector_stores.id").onDelete("cascade"))
      .addColumn("file_id", "text", (c) => c.notNull().references("files.id").onDelete("cascade"))
      .addColumn("batch_id", "text")
      .addColumn("key_id", "text", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("status", "text", (c) =>
        c.notNull().check(oneOf("status", ["in_progress", "completed", "cancelled", "failed"])),
      )
      .addColumn("used_bytes", "bigint", (c) => c.notNull())
      .addColumn("lease_owner", "text")
      .addColumn("lease_until", "bigint")
      .addColumn("attempts", "integer", (c) => c.notNull())
      .addColumn("fields", "text", (c) => c.notNull())
      .addUniqueConstraint("vector_store_files_once", ["vector_store_id", "file_id"])
      .execute();
    await index(db, "vector_store_files", "file_id");
    await index(db, "vector_store_files", "batch_id");
    await index(db, "vector_store_files", "status", "lease_until");

    await db.schema
      .createTable("passages")
      .addColumn("id", "integer", (c) => columns.identity(c).notNull())
      .addColumn("vector_store_id", "text", (c) => c.notNull())
      .addColumn("entry_id", "text", (c) => c.notNull().references("vector_store_files.id").onDelete("cascade"))
      .addColumn("file_id", "text", (c) => c.notNull())
      .addColumn("position", "integer", (c) => c.notNull())
      .addColumn("text", "text", (c) => c.notNull())
      .addColumn("vector", columns.bytes, (c) => c.notNull())
      .execute();
    await index(db, "passages", "vector_store_id");
    await index(db, "passages", "entry_id");

    // Full text is each database's own: an index of its own on SQLite, kept by triggers, and one of words on PostgreSQL.
    if (columns.kind === "sqlite") {
      await sql`create virtual table passage_words using fts5(text, content='passages', content_rowid='id', tokenize='porter unicode61')`.execute(
        db,
      );
      await sql`create trigger passages_added after insert on passages begin
        insert into passage_words(rowid, text) values (new.id, new.text); end`.execute(db);
      await sql`create trigger passages_removed after delete on passages begin
        insert into passage_words(passage_words, rowid, text) values ('delete', old.id, old.text); end`.execute(db);
    } else {
      await sql`create index passage_words on passages using gin (to_tsvector('english', text))`.execute(db);
    }
  },
};
