import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Route } from "../../src/http/route.ts";
import { isNightly } from "../property-runs.ts";
import { extraFieldFaults, WRITERS } from "./extra-fields.ts";
import { isPlatformRoute } from "./samples.ts";
import { describeSecrecy, readEverything } from "./secrecy-suite.ts";
import { nameOf, type Tenant, World } from "./world.ts";

/** Databases are compared, so each holds what some routes have left in it and no more. */
const ROUTES_PER_WORLD = 30;

/** The other roles of an organization send the same body to the same handler, so they follow nightly. */
const writers = isNightly ? WRITERS : WRITERS.filter((writer) => !["admin", "lead", "viewer"].includes(writer));

const writesOf = (world: World): Route[] =>
  world.routes.filter((route) => isPlatformRoute(route) && route.method !== "GET");

const listed = await World.start();
const names = writesOf(listed).map(nameOf);
await listed.close();

for (let from = 0; from < names.length; from += ROUTES_PER_WORLD) {
  describe("a write changes what it documents, whatever else its body says", () => {
    let world: World;
    let victim: Tenant;
    let lastAttacker: Tenant;
    beforeAll(async () => {
      world = await World.start();
      victim = await world.newTenant();
    });
    afterAll(() => world.close());

    test.each(names.slice(from, from + ROUTES_PER_WORLD))("%s", async (name) => {
      const attacker = await world.newTenant();
      lastAttacker = attacker;
      const route = routeOf(world, name);
      const statuses: number[] = [];
      for (const writer of writers) {
        const { status, faults } = await extraFieldFaults(world, { attacker, victim }, route, writer);
        expect(faults).toEqual([]);
        statuses.push(status);
      }
      // A sample that nobody may send would prove nothing.
      expect(Math.min(...statuses)).toBeLessThan(300);
    });

    test("nothing was written that these tests did not see", () => world.checkDump());

    describe("and read again", () => {
      beforeAll(() => readEverything(world, lastAttacker));
      describeSecrecy(() => world);
    });
  });
}

test("these tests see a field that was slipped in", async () => {
  const world = await World.start();
  const [attacker, victim] = [await world.newTenant(), await world.newTenant()];
  const route = routeOf(world, "PATCH /api/gw/teams/{id}");
  const { handle } = route;
  route.handle = async (context) => {
    const { id } = context.params as { id: string };
    if (context.request.url.includes("status=blocked")) {
      await world.app.storage.accounts.teams.update(id, { status: "blocked", blockedReason: "admin" });
    }
    return handle(context);
  };
  const { faults } = await extraFieldFaults(world, { attacker, victim }, route, "owner");
  expect(faults.join()).toContain("stored teams.status = blocked");
  await world.close();
});

function routeOf(world: World, name: string): Route {
  const route = writesOf(world).find((one) => nameOf(one) === name);
  if (!route) throw new Error(`the route ${name} is gone`);
  return route;
}
