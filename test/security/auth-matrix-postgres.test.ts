import { afterAll, describe, expect, test } from "bun:test";
import { postgresMissing } from "../services/postgres.ts";
import { CALLERS } from "./access-rows.ts";
import { authFaults, CARRIERS, makeCredentials, PROFILES, stubHandlers } from "./auth-cells.ts";
import { EXPECTATIONS } from "./expectations.ts";
import { nameOf, World } from "./world.ts";

describe.skipIf(postgresMissing !== null)("who gets past authentication over PostgreSQL", async () => {
  const world = await World.start(PROFILES.open, "postgres");
  const credentials = await makeCredentials(world);
  stubHandlers(world.routes);
  afterAll(() => world.close());
  // How a credential is carried is read before any database is asked: one carrier of each kind will do.
  const usual = ["x-gw-api-key", "Authorization: Bearer", "the session cookie from a page of ours"];
  const carriers = CARRIERS.filter(({ name }) => usual.includes(name));

  test.each(world.routes.map((route) => [nameOf(route), route] as const))("%s", async (name, route) => {
    const row = EXPECTATIONS[name];
    if (!row) throw new Error(`${name} has no row in test/security/expectations.ts`);
    const { cells, faults } = await authFaults(world, credentials, "open", route, row, carriers);
    expect(faults).toEqual([]);
    expect(cells).toBeGreaterThanOrEqual((CALLERS.length - 1) * usual.length);
  });
});
