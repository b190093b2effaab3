import { afterAll, expect, test } from "bun:test";
import { ADMIN, startPlace } from "./command-line.ts";

const place = await startPlace();
afterAll(() => place.close());

test("an administrator sees the cache and empties it; nobody else may", async () => {
  const root = place.person();
  const login = ["login", "--email", ADMIN.email, "--password-stdin"];
  expect((await root.run(login, { stdin: ADMIN.password })).code).toBe(0);
  const shown = await root.run(["admin", "cache", "show"]);
  expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/Cache\s+off/)]);
  expect(shown.out).toMatch(/Room\s+0\.0 MiB of 64\.0 MiB/);
  const json = JSON.parse((await root.run(["admin", "cache", "show", "--json"])).out);
  expect(json).toMatchObject({ hitRate: null, bytes: 0, bytesMax: 64 * 1024 ** 2 });
  expect((await root.run(["admin", "cache", "flush"])).code).toBe(2);
  const flushed = await root.run(["admin", "cache", "flush", "--yes"]);
  expect([flushed.code, flushed.err]).toEqual([0, expect.stringContaining("0 answers are forgotten.")]);
  const eve = place.person();
  await eve.signUp("eve@example.com");
  expect((await eve.run(["admin", "cache", "show"])).code).toBe(4);
}, 120_000);
