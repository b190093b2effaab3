import { afterAll, describe, expect, test } from "bun:test";
import { extraFieldFaults, WRITERS } from "./extra-fields.ts";
import { isPlatformRoute } from "./samples.ts";
import { nameOf, World } from "./world.ts";

const world = await World.start();
const victim = await world.newTenant();
afterAll(() => world.close());
const writes = world.routes.filter((route) => isPlatformRoute(route) && route.method !== "GET");

describe("a write changes what it documents, whatever else its body says", () => {
  test.each(writes.map((route) => [nameOf(route), route] as const))("%s", async (_, route) => {
    const attacker = await world.newTenant();
    const statuses: number[] = [];
    for (const writer of WRITERS) {
      const { status, faults } = await extraFieldFaults(world, { attacker, victim }, route, writer);
      expect(faults).toEqual([]);
      statuses.push(status);
    }
    // A sample that nobody may send would prove nothing.
    expect(Math.min(...statuses)).toBeLessThan(300);
  });
});

test("these tests see a field that was slipped in", async () => {
  const route = writes.find((one) => nameOf(one) === "PATCH /api/gw/teams/{id}");
  if (!route) throw new Error("the route is gone");
  const { handle } = route;
  const attacker = await world.newTenant();
  route.handle = async (context) => {
    const { id } = context.params as { id: string };
    if (context.request.url.includes("status=blocked")) {
      await world.app.storage.accounts.teams.update(id, { status: "blocked", blockedReason: "admin" });
    }
    return handle(context);
  };
  const { faults } = await extraFieldFaults(world, { attacker, victim }, route, "owner");
  route.handle = handle;
  expect(faults.join()).toContain("stored teams.status = blocked");
});
