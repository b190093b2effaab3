import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { newFolder, runTurnpike, startTurnpike } from "../e2e/process.ts";
import { postgresMissing, sharedPostgres } from "../services/postgres.ts";
import { putMigratedSqlite } from "../storage/migrated.ts";

const folder = newFolder();
afterAll(() => folder.remove());

test("a command that cannot use the file of the database says so, and asks for no server", async () => {
  // A folder in its place cannot be opened, as a file on a disk that is read-only or away.
  mkdirSync(join(folder.path, "data", "turnpike.db"), { recursive: true });
  const command = runTurnpike(folder.path, ["ledger", "verify"]);
  expect(await command.exited).toBe(7);
  expect(command.output()).toContain("The database in the data folder cannot be used: unable to open database file.");
}, 30_000);

test("a database that a later version has used is refused in words by every command, and left as it is", async () => {
  const { path, remove } = newFolder();
  const dataDir = join(path, "data");
  mkdirSync(dataDir);
  await putMigratedSqlite(dataDir);
  const file = join(dataDir, "turnpike.db");
  const database = new Database(file);
  database.run("insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01T00:00:00.000Z')");
  database.close();
  const before = readFileSync(file);
  for (const args of [
    ["serve", "--port", "0"],
    ["serve", "--port", "0", "--workers", "2"],
    ["migrate"],
    ["ledger", "verify"],
    ["usage", "replay"],
  ]) {
    const command = runTurnpike(path, args);
    expect([args, await command.exited]).toEqual([args, 1]);
    const words =
      "turnpike: The database was brought to a later version of Turnpike: this one does not know 9999-later.";
    expect(command.output()).toContain(words);
    expect(command.output()).not.toContain("    at ");
  }
  expect(readFileSync(file).equals(before)).toBe(true);
  remove();
}, 60_000);

test.skipIf(postgresMissing !== null)(
  "what PostgreSQL does not let its user do is told in words, with what to do",
  async () => {
    const server = await sharedPostgres();
    const url = (await server?.createDatabase()) ?? "";
    const owner = new Client({ connectionString: url });
    await owner.connect();
    await owner.query("create role without_rights login");
    await owner.end();
    const said = async (address: string, ...args: string[]) => {
      const command = runTurnpike(folder.path, args, { TURNPIKE_DATABASE_URL: address, TURNPIKE_DATA_DIR: "own" });
      const code = await command.exited;
      expect(command.output()).not.toMatch(/\n\s+at /);
      return [code, command.output()];
    };
    const forbidden = [
      1,
      expect.stringMatching(/permission denied for schema public\. .* GRANT CREATE ON SCHEMA public/),
    ];
    const without = url.replace("postgres@", "without_rights@");
    expect(await said(without, "serve", "--port", "0")).toEqual(forbidden);
    expect(await said(without, "migrate")).toEqual(forbidden);
    const nowhere = url.replace(/[^/]*$/, "nowhere");
    const refused = (words: string) => [
      7,
      expect.stringContaining(`lets nobody in: ${words}. Is TURNPIKE_DATABASE_URL`),
    ];
    expect(await said(nowhere, "migrate")).toEqual(refused('database "nowhere" does not exist'));
    expect(await said(nowhere, "ledger", "verify")).toEqual(refused('database "nowhere" does not exist'));
    const nobody = url.replace("postgres@", "no_such_user@");
    expect(await said(nobody, "migrate")).toEqual(refused('role "no_such_user" does not exist'));
  },
  60_000,
);

test.skipIf(postgresMissing !== null)(
  "a start with a wrong database name reports it in the banner, and is not ready",
  async () => {
    const server = await sharedPostgres();
    const url = new URL((await server?.createDatabase()) ?? "");
    url.pathname = "/nodb";
    const turnpike = await startTurnpike(folder.path, { TURNPIKE_DATABASE_URL: url.href, TURNPIKE_DATA_DIR: "nodb" });
    turnpike.kill("SIGKILL");
    await turnpike.exited;
    const words = `PostgreSQL at ${url.host}/nodb, which refuses the connection: database "nodb" does not exist`;
    expect(turnpike.output()).toContain(words);
    expect(turnpike.output()).toContain("waiting for the database");
    expect(turnpike.output()).not.toContain("ready in");
  },
  30_000,
);
