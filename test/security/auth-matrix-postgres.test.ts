import { afterAll, describe, expect, test } from "bun:test";
import type { Route } from "../../src/http/route.ts";
import { isNightly } from "../property-runs.ts";
import { postgresMissing } from "../services/postgres.ts";
import { CALLERS } from "./access-rows.ts";
import { authFaults, CARRIERS, makeCredentials, PROFILES, stubHandlers } from "./auth-cells.ts";
import { EXPECTATIONS } from "./expectations.ts";
import { nameOf, World } from "./world.ts";

/** Headers are read before the database is asked: one carrier of each kind is enough. */
const CARRIER_NAMES = ["x-gw-api-key", "Authorization: Bearer", "the session cookie from a page of ours"];
const carriers = CARRIERS.filter(({ name }) => CARRIER_NAMES.includes(name));

describe.skipIf(postgresMissing !== null)("authentication over PostgreSQL", async () => {
  const world = await World.start(PROFILES.open, "postgres");
  const credentials = await makeCredentials(world);
  stubHandlers(world.routes);
  afterAll(() => world.close());
  const routes = isNightly ? world.routes : onePerAccess(world.routes);

  test.each(routes.map((route) => [nameOf(route), route] as const))("%s", async (_, route) => {
    const matrix = { world, credentials, profile: "open", callers: CALLERS, carriers } as const;
    const { cells, faults } = await authFaults(matrix, route);
    expect(faults).toEqual([]);
    expect(cells).toBeGreaterThanOrEqual((CALLERS.length - 1) * carriers.length);
  });
});

/** Routes with the same access ask the database the same questions. */
function onePerAccess(routes: readonly Route[]): Route[] {
  const first = new Map<string, Route>();
  for (const route of routes) {
    const access = JSON.stringify([EXPECTATIONS[nameOf(route)], route.method === "GET"]);
    if (!first.has(access)) first.set(access, route);
  }
  return [...first.values()];
}
