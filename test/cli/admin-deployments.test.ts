import { afterAll, expect, test } from "bun:test";
import { ADMIN, startPlace } from "./command-line.ts";

const place = await startPlace();
afterAll(() => place.close());

test("an administrator looks after deployments as they run", async () => {
  const root = place.person();
  const login = ["login", "--email", ADMIN.email, "--password-stdin"];
  expect((await root.run(login, { stdin: ADMIN.password })).code).toBe(0);
  const run = (...args: string[]) => root.run(["admin", "deployments", ...args]);
  const id = "builtin-echo";

  const listed = await run("list", "--group", "echo");
  expect([listed.code, listed.out]).toEqual([0, expect.stringContaining(`${id}\techo\techo/`)]);
  expect(listed.out).toContain("\twell\t");
  expect((await run("disable", id)).err).toContain(`${id} is off.`);
  expect((await run("list", "--state", "off")).out).toContain(id);
  expect((await run("enable", id)).err).toContain(`${id} is well.`);
  expect((await run("weight", id, "2.5")).err).toContain("a weight of 2.5");
  expect((await run("weight", id, "configured")).err).toContain(`${id} has the configured weight again.`);
  for (const odd of ["much", "0x10", "1e3", "-1", "NaN", "Infinity", "1.", ""]) {
    expect([odd, (await run("weight", id, odd)).code]).toEqual([odd, 2]);
  }
  const unset = await run("disable", "", "--json");
  expect([unset.code, JSON.parse(unset.err).error]).toEqual([2, "The argument `id` is empty."]);
  expect((await run("cooldown", id, "--seconds", "90")).err).toContain("rests until");
  expect((await run("list", "--state", "resting")).out).toContain(id);
  expect((await run("cooldown", id, "--clear", "--seconds", "4")).code).toBe(2);
  expect((await run("cooldown", "--help")).out).toContain("60 unless told");
  expect((await run("cooldown", id, "--clear")).err).toContain(`${id} is well.`);
  expect((await run("disable", "none")).code).toBe(5);

  const eve = place.person();
  await eve.signUp("eve@example.com");
  expect((await eve.run(["admin", "deployments", "list"])).code).toBe(4);
}, 120_000);
