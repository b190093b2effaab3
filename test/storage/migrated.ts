import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backend } from "../../src/storage/backend.ts";
import { openStorage } from "../../src/storage/open.ts";
import { type PostgresServer, postgresMissing, sharedPostgres } from "../services/postgres.ts";
import { PATIENT_MS } from "./patience.ts";

// Databases as they are after all migrations, copied from one that was migrated in this process: each test that migrated its
// own would do the same work again. Tests of the migrations themselves begin with an empty one (`freshDatabase`).

let sqlite: Promise<Uint8Array> | null = null;
let postgres: Promise<string> | null = null;

/** Puts the file of a migrated database into a data folder. */
export async function putMigratedSqlite(dataDir: string): Promise<void> {
  sqlite ??= migrateSqlite();
  writeFileSync(join(dataDir, FILE), await sqlite);
}

/** The address of a database that nobody has used yet; null for SQLite, which `startApp` makes in its folder. */
export async function migratedUrl(kind: Backend["kind"]): Promise<string | null> {
  if (kind === "sqlite") return null;
  const server = await sharedPostgres();
  if (server === null) throw new Error(postgresMissing ?? "no PostgreSQL");
  postgres ??= migratePostgres(server);
  return server.createDatabase(await postgres);
}

const FILE = "turnpike.db";

async function migrateSqlite(): Promise<Uint8Array> {
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-migrated-"));
  await migrate(null, dataDir);
  const bytes = readFileSync(join(dataDir, FILE));
  rmSync(dataDir, { recursive: true, force: true });
  return bytes;
}

async function migratePostgres(server: PostgresServer): Promise<string> {
  const url = await server.createDatabase();
  await migrate(url, "");
  return new URL(url).pathname.slice(1);
}

async function migrate(databaseUrl: string | null, dataDir: string): Promise<void> {
  const storage = openStorage({ databaseUrl, dataDir, timeoutMs: PATIENT_MS });
  await storage.migrate();
  await storage.close();
}
