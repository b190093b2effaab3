import { CamelCasePlugin, type Dialect, Kysely } from "kysely";
import { EpochPlugin } from "./epoch-plugin.ts";
import type { Tables } from "./tables.ts";
import { TranslatingDialect } from "./translating-dialect.ts";

/** A database that the stores and the migrations run on; one implementation per product. */
export interface Backend {
  readonly kind: "sqlite" | "postgres";
  readonly db: Kysely<Tables>;
  /** Throws `database` when there is no answer. */
  ping(): Promise<void>;
  /** A connection without the limits of a request: a migration takes as long as the tables are large. */
  withoutTimeLimit<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T>;
  /** The database as it is at one moment, to read for as long as it takes; nobody waits for it. */
  snapshot<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Without plugins: names and values as the database has them, which is what a migration is about. */
export function connect(dialect: Dialect): Kysely<unknown> {
  return new Kysely<unknown>({ dialect: new TranslatingDialect(dialect) });
}

/** The same connections with the names and values of the program. */
export function withTables(db: Kysely<unknown>): Kysely<Tables> {
  return db.withTables<Tables>().withPlugin(new CamelCasePlugin()).withPlugin(new EpochPlugin());
}
