export type Row = Readonly<Record<string, unknown>>;
export type Dump = Readonly<Record<string, readonly Row[]>>;

/** Looks at a database past the program: what is really there. */
export interface Peek {
  tables(): Promise<readonly string[]>;
  rows(table: string): Promise<readonly Row[]>;
  columns(table: string): Promise<readonly string[]>;
  /** The tables that may have been written to since this was asked last, as they are now: at first all. */
  written(): Promise<Dump>;
  close(): Promise<void>;
}

/** Every row of every table, in whatever order the database gives them. */
export async function dumpOf(peek: Peek): Promise<Dump> {
  const entries: [string, readonly Row[]][] = [];
  for (const table of await peek.tables()) entries.push([table, await peek.rows(table)]);
  return Object.fromEntries(entries);
}

/** A later dump: what is the same is the same list of rows. */
export async function dumpAfter(peek: Peek, before: Dump): Promise<Dump> {
  const changed = Object.entries(await peek.written()).filter(([table, rows]) => !isSame(rows, before[table]));
  return changed.length === 0 ? before : { ...before, ...Object.fromEntries(changed) };
}

const isSame = (rows: readonly Row[], before: readonly Row[] | undefined): boolean =>
  rows.length === before?.length && rows.every((row, at) => row === before[at] || Bun.deepEquals(row, before[at]));

/** The same for the same rows in any order. */
export function checksum(dump: Dump): string {
  const plain = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
  const lines = Object.entries(dump).map(([table, rows]) => [
    table,
    rows.map((row) => JSON.stringify(row, plain)).sort(),
  ]);
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(lines.sort())).digest("hex");
}
