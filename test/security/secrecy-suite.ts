import { beforeAll, describe, expect, test } from "bun:test";
import { isPlatformRoute, pathWith, queryWith, sampleOf } from "./samples.ts";
import { leaks, learnSecrets, overshown } from "./sweep.ts";
import type { Tenant, World } from "./world.ts";

const KINDS = ["password", "key", "session token", "the master key", "the root secret"];

/** To be described last: what all that was done before has left in answers, in the log and on the disk. */
export function describeSecrecy(worldOf: () => World): void {
  describe("of the secrets in all of this", () => {
    let world: World;
    beforeAll(async () => {
      world = worldOf();
      await world.app.service.flush();
      learnSecrets(world);
    });

    test("there are some of every kind, and answers and log lines to look through", () => {
      expect([...new Set(world.secrets.values())]).toEqual(expect.arrayContaining(KINDS));
      expect(world.seen.length).toBeGreaterThan(40);
      expect(world.app.logged.length).toBeGreaterThan(40);
    });

    test("no answer, header, log line or file has a password, a key or a token", async () => {
      expect(await leaks(world)).toEqual([]);
    });

    test("an answer that shows a credential shows no other", () => {
      expect(overshown(world)).toEqual([]);
    });

    test("no answer and no log line has a stored hash", async () => {
      const dump = await world.dump();
      const hashes = [
        ...(dump.users ?? []).map((row) => row.password_hash),
        ...(dump.api_keys ?? []).flatMap((row) => [row.hash, row.previous_hash]),
      ].filter((hash) => typeof hash === "string");
      expect(hashes.length).toBeGreaterThan(5);
      const shown = [...world.seen.map(({ text, headers }) => text + headers), ...world.app.logged].join("\n");
      // Only runs of hexadecimal digits can hold an HMAC: thousands of hashes are not looked for in all of the text.
      const runs = [...new Set(shown.match(/[0-9a-f]{64,}/g) ?? [])].join(" ");
      expect(hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash) || hash.startsWith("$argon2id$"))).toBe(true);
      expect(hashes.filter((hash) => runs.includes(hash))).toEqual([]);
      expect(shown).not.toContain("argon2id");
    });
  });
}

/** As operators and owners see it, after everything else has been done. */
export async function readEverything(world: World, tenant: Tenant): Promise<void> {
  const { owner } = tenant.people;
  for (const route of world.routes) {
    if (route.method !== "GET" || !isPlatformRoute(route)) continue;
    const person = route.auth === "admin" ? await world.newPerson("admin") : owner;
    const { token } = await world.newSession(person.id);
    const { params = {}, query } = await sampleOf(world, tenant, route, owner.id);
    const more = route.query ? { pageSize: "100", size: "100", return_full_object: "true" } : {};
    await world.call(pathWith(route.paths[0], params) + queryWith(query, more), { key: token });
  }
  for (const path of ["/metrics", "/health", "/openapi.json", "/llms.txt", "/v1/models", "/v1/model/info"]) {
    await world.call(path, { key: path === "/health" ? "sk-nobody" : tenant.key.value });
  }
}
