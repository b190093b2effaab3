import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Route } from "../../src/http/route.ts";
import type { Backend } from "../../src/storage/backend.ts";
import { checksum } from "./peek.ts";
import { isPlatformRoute, pathWith, queryWith, sampleOf } from "./samples.ts";
import { describeSecrecy, readEverything } from "./secrecy-suite.ts";
import { idParameters, rowsOf, tenancyFaults } from "./tenancy-calls.ts";
import { nameOf, TENANT_ROLES, type TenantRole, World } from "./world.ts";

/** What the roles may is the program's own; that statements find no more than they should is the database's too. */
const ROLES: Readonly<Record<string, readonly TenantRole[]>> = { sqlite: TENANT_ROLES, postgres: ["owner", "member"] };

/** The second face of services that have been tried with every role. */
const OF_SECOND_FACE: Readonly<Record<string, readonly TenantRole[]>> = {
  sqlite: ["owner", "member"],
  postgres: ["owner"],
};
const rolesFor = (kind: string, route: Route): readonly TenantRole[] | undefined =>
  (route.paths[0].startsWith("/api/") ? ROLES : OF_SECOND_FACE)[kind];

/** A file for each database: together they would be what the whole run waits for at its end. */
export function describeTenancy(kind: Backend["kind"], missing = false): void {
  describe.skipIf(missing)(`two tenants on ${kind}`, async () => {
    const world = await World.start("", kind);
    const tenants = { attacker: await world.newTenant(), victim: await world.newTenant() };
    afterAll(() => world.close());
    const routes = world.routes.filter(isPlatformRoute);
    const found = await Promise.all(
      routes.map(async (route) => ({ route, parameters: await idParameters(world, tenants.attacker, route) })),
    );
    const cases = found.flatMap(({ route, parameters }) =>
      parameters.map(
        (parameter) => [`${nameOf(route)}: ${parameter.place} ${parameter.name}`, route, parameter] as const,
      ),
    );

    describe("what belongs to another tenant is not there, and is not changed", () => {
      test.each(cases)("%s", async (_, route, parameter) => {
        const { faults, hidden } = await tenancyFaults(world, tenants, route, parameter, rolesFor(kind, route));
        expect(faults).toEqual([]);
        expect(hidden).toBeGreaterThan(0);
      });
    });

    describe("what a tenant lists", () => {
      const lists = routes.filter(
        (route) => route.method === "GET" && (route.auth === "session" || route.auth === "any"),
      );

      test.each(lists.map((route) => [nameOf(route), route] as const))(
        "%s shows nothing of the other",
        async (_, route) => {
          for (const person of Object.values(tenants.attacker.people)) {
            const { params = {}, query } = await sampleOf(world, tenants.attacker, route, person.id);
            for (const more of [{}, { search: "" }, { search: tenants.victim.key.value.slice(-4) }]) {
              const path = pathWith(route.paths[0], params) + queryWith(query, more);
              const answer = await world.call(path, { key: person.token });
              // Some lists are for those who run the organization.
              expect([200, 403, 404]).toContain(answer.status);
              for (const mark of [tenants.victim.organizationId, tenants.victim.teamId, tenants.victim.key.id]) {
                expect(answer.text).not.toContain(mark);
              }
              for (const { email } of Object.values(tenants.victim.people))
                expect(answer.text).not.toContain(`"${email}"`);
            }
          }
        },
      );
    });

    describe("these tests themselves", () => {
      let names: string[] = [];
      beforeAll(() => {
        names = cases.map(([name]) => name);
      });

      test("leave whom they call as signed in while they look for parameters", async () => {
        const tenant = await world.newTenant();
        for (const route of routes) await idParameters(world, tenant, route);
        const { status } = await world.call("/api/auth/me", { key: tenant.people.owner.token });
        expect(status).toBe(200);
      });

      test("find the parameters that are known to name something", () => {
        expect(names).toContain("PUT /api/gw/organizations: body id");
        expect(names).toContain("PUT /api/gw/organizations: header x-organization-id");
        expect(names).toContain("POST /api/gw/teams: header x-organization-id");
        expect(names).toContain("GET /api/gw/teams: header x-organization-id");
        expect(names).toContain("GET /api/api-keys: header x-organization-id");
        expect(names).toContain("GET /api/api-keys: query team_id");
        expect(names).toContain("POST /api/gw/messages: body apiKey");
        expect(names).toContain("DELETE /api/gw/organizations/{id}/members/{userId}: path userId");
      });

      test("see a change of the victim's rows", async () => {
        const { victim } = tenants;
        const before = checksum(rowsOf(await world.dump(), victim));
        expect(checksum(rowsOf(await world.dump(), victim))).toBe(before);
        await world.call(`/api/gw/teams/${victim.teamId}`, {
          method: "PATCH",
          key: victim.people.owner.token,
          json: { name: "Changed" },
        });
        expect(checksum(rowsOf(await world.dump(), victim))).not.toBe(before);
      });

      test("have seen whatever was written", () => world.checkDump());
    });

    describe("and read again", () => {
      beforeAll(() => readEverything(world, tenants.attacker), 60_000);
      describeSecrecy(() => world);
    });
  });
}
