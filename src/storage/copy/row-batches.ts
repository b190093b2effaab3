import { type Kysely, sql } from "kysely";
import type { CopiedTable } from "./tables.ts";

export type Row = Readonly<Record<string, unknown>>;

const ROWS_MAX = 2_000;
/** A row may have megabytes, as where requests are kept: so much is in memory at a time, or one row. */
const BYTES_MAX = 4 * 1024 * 1024;
const BEFORE_ALL = -(2n ** 63n);

interface Size {
  readonly place: bigint | number;
  readonly bytes: bigint;
}

/** The rows of a table of SQLite, a few at a time. */
export async function* rowBatches(db: Kysely<unknown>, { name, columns }: CopiedTable): AsyncGenerator<readonly Row[]> {
  const table = sql.table(name);
  const wanted = sql.join(columns.map((column) => sql.ref(column.name)));
  // Told by the head of a row: what is long is not read for it.
  const bytes = sql.join(
    columns.map((column) => sql`coalesce(octet_length(${sql.ref(column.name)}), 0)`),
    sql` + `,
  );
  for (let after: bigint | number = BEFORE_ALL; ; ) {
    const { rows: sizes } = await sql<Size>`
      select rowid as place, ${bytes} as bytes from ${table} where rowid > ${after} order by rowid limit ${ROWS_MAX}`.execute(
      db,
    );
    const until: Size["place"] | null = lastThatFits(sizes);
    if (until === null) return;
    const { rows } = await sql<Row>`
      select ${wanted} from ${table} where rowid > ${after} and rowid <= ${until} order by rowid`.execute(db);
    yield rows;
    after = until;
  }
}

function lastThatFits(sizes: readonly Size[]): Size["place"] | null {
  let sum = 0;
  let last: Size["place"] | null = null;
  for (const { place, bytes } of sizes) {
    sum += Number(bytes);
    if (last !== null && sum > BYTES_MAX) break;
    last = place;
  }
  return last;
}
