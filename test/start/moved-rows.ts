import { Database, type SQLQueryBindings } from "bun:sqlite";
import { join } from "node:path";
import { Client } from "pg";

type Cells = Readonly<Record<string, string | null>>;

/** What no call of a short test leaves: the ends of 64 bits, bytes, signs that lists have, long rows, and people who are gone. */
export function fillByHand(dataDir: string): void {
  const database = new Database(join(dataDir, "turnpike.db"), { safeIntegers: true });
  const insert = (table: string, row: Record<string, SQLQueryBindings>) =>
    database.run(
      `insert into ${table} (${Object.keys(row).join(", ")}) values (${Object.keys(row).map(() => "?")})`,
      Object.values(row),
    );
  const at = 1_900_000_000_000n;
  const odd = `{"a", NULL,\\ 'b'}\n\t"" ü 🗼 \\x00`;
  insert("files", { id: "f", created_at: at, size_bytes: 2n ** 63n - 1n, name: odd, purpose: "NULL" });
  insert("vector_stores", { id: "v", created_at: -(2n ** 63n), last_active_at: at, fields: "" });
  const entry = { id: "e", vector_store_id: "v", file_id: "f", key_id: "k", created_at: at, status: "completed" };
  insert("vector_store_files", { ...entry, used_bytes: 9_007_199_254_740_993n, attempts: 0, fields: "{}" });
  const passage = { vector_store_id: "v", entry_id: "e", file_id: "f", text: odd };
  for (const position of [0, 1])
    insert("passages", { ...passage, position, vector: new Uint8Array([0, 92, 34, 255, position]) });
  database.run("delete from passages where position = 0");
  for (let row = 0; row < 10; row++) insert("usage_contents", { id: `long ${row}`, request: "x".repeat(1_500_000) });
  for (let row = 0; row < 2_500; row++) insert("spent_challenges", { id: `row ${row}`, expires_at: at });
  // Somebody whose account was removed had the last number.
  database.run("delete from sqlite_sequence where name = 'users'");
  database.run("insert into sqlite_sequence (name, seq) values ('users', 41)");
  database.close();
}

/** All rows as text, in an order of their own. */
export function sqliteRows(dataDir: string, table: string): Cells[] {
  const database = new Database(join(dataDir, "turnpike.db"), { safeIntegers: true, readonly: true });
  const query = database.query(`select * from "${table}"`);
  const rows = query.all() as Record<string, unknown>[];
  const booleans = new Set(query.columnNames.filter((_, index) => /^boolean$/i.test(query.declaredTypes[index] ?? "")));
  database.close();
  return sorted(rows, (name, value) => {
    if (value === null) return null;
    if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
    return booleans.has(name) ? (value === 0n ? "f" : "t") : String(value);
  });
}

export async function postgresRows(url: string, table: string): Promise<Cells[]> {
  const types = { getTypeParser: () => (text: unknown) => text };
  const client = new Client({ connectionString: url, types: types as never });
  await client.connect();
  const { rows } = await client.query(`select * from "${table}"`);
  await client.end();
  return sorted(rows, (_, value) => value as string | null);
}

function sorted(
  rows: readonly Record<string, unknown>[],
  cell: (name: string, value: unknown) => string | null,
): Cells[] {
  const made = rows.map((row) =>
    Object.fromEntries(
      Object.keys(row)
        .sort()
        .map((name) => [name, cell(name, row[name])]),
    ),
  );
  return made.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
