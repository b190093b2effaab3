import { type Kysely, sql } from "kysely";
import type { Columns } from "./columns.ts";
import { index } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** A table whose rows count towards the storage of an organization. */
interface Counted {
  readonly table: string;
  /** Columns of text, whose bytes count. */
  readonly texts: readonly string[];
  /** A column that names a number of bytes, which lie elsewhere. */
  readonly bytes?: string;
  /** The table that knows the team, and the column that refers to its `id`. Absent if the table has a `team_id`. */
  readonly parent?: { readonly table: string; readonly key: string };
}

const COUNTED: readonly Counted[] = [
  { table: "files", texts: ["name"], bytes: "size_bytes" },
  { table: "vector_stores", texts: ["fields"] },
  {
    table: "vector_store_files",
    texts: ["fields"],
    bytes: "used_bytes",
    parent: { table: "vector_stores", key: "vector_store_id" },
  },
  { table: "assistants", texts: ["fields"] },
  { table: "threads", texts: ["fields"] },
  { table: "thread_messages", texts: ["fields"], parent: { table: "threads", key: "thread_id" } },
  { table: "runs", texts: ["settings", "progress", "metadata"] },
  { table: "run_steps", texts: ["fields"], parent: { table: "runs", key: "run_id" } },
  { table: "conversations", texts: ["metadata"] },
  { table: "conversation_items", texts: ["item"], parent: { table: "conversations", key: "conversation_id" } },
  { table: "responses", texts: ["input", "answer"] },
  { table: "background_responses", texts: ["asked"], parent: { table: "responses", key: "id" } },
  { table: "batches", texts: ["asked", "progress"] },
];

/** Bytes that a row takes in addition to its texts, so that empty rows are not free. */
const ROW_BYTES = 256;

/**
 * How much each team stores. Triggers record every change, so that no writer can forget it and a deletion through a
 * foreign key counts. Each change is a row: transactions of one team do not wait for each other.
 */
export const storageUsage: Migration = {
  name: "0041-storage-usage",
  async up(db, columns) {
    await db.schema
      .createTable("storage_usage")
      .addColumn("team_id", "text", (c) => c.primaryKey().notNull())
      .addColumn("bytes", "bigint", (c) => c.notNull())
      .execute();
    await db.schema
      .createTable("storage_changes")
      .addColumn("id", "integer", (c) => columns.identity(c).notNull())
      .addColumn("team_id", "text", (c) => c.notNull())
      .addColumn("bytes", "bigint", (c) => c.notNull())
      .execute();
    await index(db, "storage_changes", "team_id");
    await db.schema
      .createTable("storage_quotas")
      .addColumn("organization_id", "text", (c) =>
        c.primaryKey().notNull().references("organizations.id").onDelete("cascade"),
      )
      .addColumn("bytes", "bigint", (c) => c.notNull())
      .execute();
    for (const counted of COUNTED) {
      await countRows(db, columns, counted);
      for (const statement of triggersOf(columns, counted)) await sql.raw(statement).execute(db);
    }
  },
};

const record = (team: string, bytes: string): string =>
  `insert into storage_changes (team_id, bytes) select o.team_id, ${bytes} from (select ${team} as team_id) o
    where o.team_id is not null`;

function sizeOf({ kind }: Columns, { texts, bytes }: Counted, row: string): string {
  const lengths = texts.map((name) =>
    kind === "sqlite" ? `length(cast(${row}.${name} as blob))` : `octet_length(${row}.${name})`,
  );
  return [...lengths, ...(bytes === undefined ? [] : [`${row}.${bytes}`]), ROW_BYTES].join(" + ");
}

/** Null when the parent is gone: then its own trigger has counted the row. */
const teamOf = ({ parent }: Counted, row: string): string =>
  parent === undefined
    ? `${row}.team_id`
    : `(select p.team_id from ${parent.table} p where p.id = ${row}.${parent.key})`;

/** Rows of earlier versions. */
async function countRows(db: Kysely<unknown>, columns: Columns, counted: Counted): Promise<void> {
  const rows = `select ${teamOf(counted, "r")} as team_id, ${sizeOf(columns, counted, "r")} as bytes from ${counted.table} r`;
  await sql
    .raw(
      `insert into storage_changes (team_id, bytes)
        select team_id, sum(bytes) from (${rows}) s where team_id is not null group by team_id`,
    )
    .execute(db);
}

function triggersOf(columns: Columns, counted: Counted): string[] {
  const { table, texts, bytes } = counted;
  const [before, after] = [sizeOf(columns, counted, "old"), sizeOf(columns, counted, "new")];
  const names = [...texts, ...(bytes === undefined ? [] : [bytes])].join(", ");
  const make = (name: string, when: string, work: string): string[] =>
    columns.kind === "sqlite"
      ? sqliteTrigger({ table, name, when, work })
      : postgresTrigger({ table, name, when, work });
  const children = COUNTED.filter(({ parent }) => parent?.table === table);
  return [
    ...make("counted_insert", "after insert", record(teamOf(counted, "new"), after)),
    ...make(
      "counted_update",
      `after update of ${names}`,
      `${record(teamOf(counted, "new"), `${after} - (${before})`)} and ${after} <> ${before}`,
    ),
    ...make("counted_delete", "after delete", record(teamOf(counted, "old"), `-(${before})`)),
    // The rows of its children go with it, and no longer find the team.
    ...children.flatMap((child) =>
      make(
        `counted_${child.table}`,
        "before delete",
        `insert into storage_changes (team_id, bytes) select old.team_id, -sum(${sizeOf(columns, child, "c")})
          from ${child.table} c where c.${child.parent?.key} = old.id and old.team_id is not null having count(*) > 0`,
      ),
    ),
  ];
}

interface Trigger {
  readonly table: string;
  readonly name: string;
  readonly when: string;
  readonly work: string;
}

const sqliteTrigger = ({ table, name, when, work }: Trigger): string[] => [
  `create trigger ${table}_${name} ${when} on ${table} begin ${work}; end`,
];

const postgresTrigger = ({ table, name, when, work }: Trigger): string[] => [
  `create function ${table}_${name}() returns trigger language plpgsql as
    $$ begin ${work}; return ${when === "before delete" ? "old" : "null"}; end $$`,
  `create trigger ${table}_${name} ${when} on ${table} for each row execute function ${table}_${name}()`,
];
