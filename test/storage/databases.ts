import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backend } from "../../src/storage/backend.ts";
import type { StorageSettings } from "../../src/storage/open.ts";
import { postgresMissing, sharedPostgres } from "../services/postgres.ts";
import { migratedUrl, putMigratedSqlite } from "./migrated.ts";
import { PATIENT_MS } from "./patience.ts";

/** Both databases that every store must behave the same on. */
export const DATABASES: readonly { readonly kind: Backend["kind"]; readonly missing: boolean }[] = [
  { kind: "sqlite", missing: false },
  { kind: "postgres", missing: postgresMissing !== null },
];

/** Settings of a database that nobody has used yet. */
export interface FreshDatabase extends Disposable {
  readonly settings: StorageSettings;
}

export async function freshDatabase(kind: Backend["kind"]): Promise<FreshDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-data-"));
  return databaseIn(dataDir, kind === "sqlite" ? null : await postgresDatabase());
}

/** As `freshDatabase`, with all migrations applied. */
export async function migratedDatabase(kind: Backend["kind"]): Promise<FreshDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-data-"));
  if (kind === "sqlite") await putMigratedSqlite(dataDir);
  return databaseIn(dataDir, await migratedUrl(kind));
}

const databaseIn = (dataDir: string, databaseUrl: string | null): FreshDatabase => ({
  settings: { databaseUrl, dataDir, timeoutMs: PATIENT_MS },
  [Symbol.dispose]: () => rmSync(dataDir, { recursive: true, force: true }),
});

async function postgresDatabase(): Promise<string> {
  const server = await sharedPostgres();
  if (server === null) throw new Error(postgresMissing ?? "no PostgreSQL");
  return server.createDatabase();
}
