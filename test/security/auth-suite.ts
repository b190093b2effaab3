import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { samplePath } from "../http/faults.ts";
import { isNightly } from "../property-runs.ts";
import { CALLERS } from "./access-rows.ts";
import {
  type AuthMatrix,
  authFaults,
  CARRIERS,
  makeCredentials,
  PROFILE_CARRIERS,
  PROFILES,
  type Profile,
  STRONGEST,
  stubHandlers,
} from "./auth-cells.ts";
import { EXPECTATIONS } from "./expectations.ts";
import { describeSecrecy } from "./secrecy-suite.ts";
import { nameOf, World } from "./world.ts";

type Cells = Pick<AuthMatrix, "callers" | "carriers">;
const FULL: Cells = { callers: CALLERS, carriers: CARRIERS };
/** The full matrix of the hosted profile runs nightly: it repeats the open one, except for what the profile changes. */
const CELLS: Readonly<Record<Profile, Cells>> = {
  open: FULL,
  hosted: isNightly ? FULL : { callers: STRONGEST, carriers: PROFILE_CARRIERS },
};

/** Each profile has a test file of its own: one file with both would be the last to end in every run. */
export function describeAuthentication(profile: Profile): void {
  describe(`authentication in the ${profile} profile`, async () => {
    const world = await World.start(PROFILES[profile]);
    const credentials = await makeCredentials(world);
    stubHandlers(world.routes);
    afterAll(() => world.close());

    test("every route has a row, and every row a route", () => {
      expect(world.routes.map(nameOf).sort()).toEqual(Object.keys(EXPECTATIONS).sort());
    });

    test.each(world.routes.map((route) => [nameOf(route), route] as const))("%s", async (name, route) => {
      const { auth, scope } = EXPECTATIONS[name] ?? {};
      expect<object>({ auth: route.auth, scope: route.scope }).toEqual({ auth, scope });
      const { callers, carriers } = CELLS[profile];
      const { cells, faults } = await authFaults({ world, credentials, profile, callers, carriers }, route);
      expect(faults).toEqual([]);
      expect(cells).toBeGreaterThanOrEqual(STRONGEST.length * carriers.length);
    });

    const guarded = world.routes.filter((route) => route.auth !== "none");

    test.each(guarded.map((route) => [nameOf(route), route] as const))(
      "%s: no header changes the method or the path that is guarded",
      async (_, route) => {
        for (const headers of [
          { "x-http-method-override": "OPTIONS", "x-http-method": "OPTIONS", "x-method-override": "HEAD" },
          { "x-original-url": "/health/liveliness", "x-rewrite-url": "/docs", "x-forwarded-prefix": "/docs" },
          { host: "turnpike.test/docs?", "x-forwarded-host": "localhost", "x-forwarded-for": "127.0.0.1" },
          { "x-forwarded-user": "admin", "x-remote-user": "admin", "x-user-id": "1", forwarded: "for=127.0.0.1" },
        ] as Record<string, string>[]) {
          const answer = await world.call(samplePath(route.paths[0]), { method: route.method, headers });
          expect(answer.status).toBe(401);
        }
      },
    );

    test.each(guarded.map((route) => [nameOf(route), route] as const))(
      "%s: another spelling of the path is guarded too, or is no path",
      async (_, route) => {
        const path = samplePath(route.paths[0]);
        const spellings = [
          `/${path}`,
          `/.${path}`,
          `/docs/..${path}`,
          `/docs/%2e%2e${path}`,
          `/docs/..%2f${path.slice(1)}`,
          `${path};x=1`,
          `${path}%00`,
          `${path}%20`,
          `${path}.`,
          `${path}#/docs`,
          `${path}?x=/docs`,
          path.toUpperCase(),
          path.replace(/[a-z](?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
        ];
        for (const spelling of spellings) {
          const { status } = await world.call(spelling, { method: route.method });
          expect(`${spelling} ${[401, 404, 405].includes(status) ? "shut" : status}`).toBe(`${spelling} shut`);
        }
      },
    );

    test.each([
      "",
      " ",
      "sk-",
      "sk- ",
      "sk-'",
      "sk-' or 1=1--",
      'sk-"; drop table api_keys;--',
      "sk-%00",
      "sk-{{7*7}}",
      "sk-*",
      "sk-%",
    ])("a key of %j opens nothing", async (value) => {
      const headers = { "x-gw-api-key": value };
      expect((await world.call("/v1/models", { headers })).status).toBe(401);
    });

    test("a credential that differs in any one character from a good one is not the same", async () => {
      const good = credentials["member's key"]?.value ?? "";
      const headers = (value: string) => ({
        headers: { "x-gw-api-key": value },
        remoteAddress: `10.0.${value.length}.1`,
      });
      expect((await world.call("/v1/models", headers(good))).status).toBe(200);
      for (let at = 3; at < good.length; at++) {
        const other = good.slice(0, at) + (good[at] === "a" ? "b" : "a") + good.slice(at + 1);
        expect((await world.call("/v1/models", headers(other))).status).toBe(401);
      }
      for (let cut = 0; cut < MASTER_KEY.length; cut++) {
        const part = { "x-gw-api-key": MASTER_KEY.slice(0, cut) };
        expect((await world.call("/v1/models", { headers: part, remoteAddress: "10.9.9.9" })).status).toBe(401);
      }
    });

    describeSecrecy(() => world);
  });
}
