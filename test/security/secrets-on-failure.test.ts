import { afterAll, describe, expect, test } from "bun:test";
import { parameterNames } from "../../src/http/path.ts";
import { isPlatformRoute, pathWith, sampleOf } from "./samples.ts";
import { leaks } from "./sweep.ts";
import { nameOf, World } from "./world.ts";

describe("when the database fails", async () => {
  const broken = await World.start();
  const routes = broken.routes.filter(isPlatformRoute);
  const tenant = await broken.newTenant();
  const bodies = new Map<string, Record<string, unknown>>();
  for (const route of routes) {
    const { body } = await sampleOf(broken, tenant, route, tenant.people.owner.id);
    if (body) bodies.set(nameOf(route), { ...body });
  }
  const isFailure = (line: string): boolean => line.includes('"level":"error"');
  await broken.app.storage.close();
  afterAll(() => broken.close());

  test.each(routes.map((route) => [nameOf(route), route] as const))(
    "%s fails, with secrets in its request",
    async (name, route) => {
      const { owner } = tenant.people;
      const loggedBefore = broken.app.logged.filter(isFailure).length;
      const json = bodies.get(name);
      for (const secret of [tenant.key.value, owner.password, owner.token]) {
        const params = Object.fromEntries(parameterNames(route.paths[0]).map((parameter) => [parameter, secret]));
        const path = `${pathWith(route.paths[0], params)}?search=${secret}&token=${secret}&api_key=${secret}`;
        for (const key of [owner.token, tenant.key.value]) {
          await broken.call(path, { method: route.method, key, ...(json ? { json } : {}) });
        }
      }
      // A route that is open to everyone needs no database.
      if (route.auth !== "none") expect(broken.app.logged.filter(isFailure).length).toBeGreaterThan(loggedBefore);
    },
  );

  test("no response, log line or file contains a secret", async () => {
    expect(broken.seen.length).toBeGreaterThan(routes.length);
    expect(await leaks(broken)).toEqual([]);
  });
});
