import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Route } from "../../src/http/route.ts";
import type { Backend } from "../../src/storage/backend.ts";
import { isNightly } from "../property-runs.ts";
import { checksum } from "./peek.ts";
import { isPlatformRoute, pathWith, queryWith, sampleOf } from "./samples.ts";
import { describeSecrecy, readEverything } from "./secrecy-suite.ts";
import { idParameters, rowsOf, type TenancyCase, tenancyFaults } from "./tenancy-calls.ts";
import { nameOf, TENANT_ROLES, type TenantRole, World } from "./world.ts";

/** The second form of an operation, such as `/key/info`, calls services that are tried in every role under `/api`. */
const rolesFor = (route: Route): readonly TenantRole[] =>
  route.paths[0].startsWith("/api/") ? TENANT_ROLES : ["owner", "member"];

/**
 * Roles are checked before the database is asked, and every statement is tested over both databases by the store suites.
 * So PostgreSQL gets one case per kind of id, in changing roles; nightly it gets as many as SQLite.
 */
function casesFor(kind: Backend["kind"], cases: readonly TenancyCase[]): TenancyCase[] {
  if (kind === "sqlite" || isNightly) return cases.map((each) => ({ ...each, roles: rolesFor(each.route) }));
  const first = new Map<string, TenancyCase>();
  for (const each of cases) {
    const { place, name } = each.parameter;
    const [resource] = each.route.paths[0].split("/{");
    const key = place === "path" ? `${resource} ${name}` : `${place} ${name}`;
    if (!first.has(key)) first.set(key, each);
  }
  return [...first.values()].map((each, at) => ({
    ...each,
    roles: [TENANT_ROLES[at % TENANT_ROLES.length] ?? "owner"],
  }));
}

/** Each database has a test file of its own: one file with both would be the last to end in every run. */
export function describeTenancy(kind: Backend["kind"], missing = false): void {
  describe.skipIf(missing)(`two tenants on ${kind}`, async () => {
    const world = await World.start("", kind);
    const tenants = { attacker: await world.newTenant(), victim: await world.newTenant() };
    afterAll(() => world.close());
    const routes = world.routes.filter(isPlatformRoute);
    const found = await Promise.all(
      routes.map(async (route) => ({ route, parameters: await idParameters(world, tenants.attacker, route) })),
    );
    const all = found.flatMap(({ route, parameters }) => parameters.map((parameter) => ({ route, parameter })));
    const nameOfCase = ({ route, parameter }: TenancyCase) => `${nameOf(route)}: ${parameter.place} ${parameter.name}`;
    const cases = casesFor(kind, all).map((each) => [nameOfCase(each), each] as const);

    describe("what belongs to another tenant is not there, and is not changed", () => {
      test.each(cases)("%s", async (_, each) => {
        const { faults, hidden } = await tenancyFaults(world, tenants, each);
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
        names = all.map(nameOfCase);
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
      beforeAll(() => readEverything(world, tenants.attacker));
      describeSecrecy(() => world);
    });
  });
}
