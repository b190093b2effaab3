import { afterAll, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { newFolder, runTurnpike } from "../e2e/process.ts";

const folder = newFolder();
afterAll(() => folder.remove());

test("a command that cannot use the file of the database says so, and asks for no server", async () => {
  // A folder in its place cannot be opened, as a file on a disk that is read-only or away.
  mkdirSync(join(folder.path, "data", "turnpike.db"), { recursive: true });
  const command = runTurnpike(folder.path, ["ledger", "verify"]);
  expect(await command.exited).toBe(7);
  expect(command.output()).toContain("The database in the data folder cannot be used: unable to open database file.");
}, 30_000);
