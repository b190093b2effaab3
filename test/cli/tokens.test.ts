import { afterAll, expect, test } from "bun:test";
import { startPlace } from "./command-line.ts";

const place = await startPlace();
afterAll(() => place.close());
const SLOW_MS = 60_000;

test(
  "a token is made, runs the commands that its scopes allow, and is deleted",
  async () => {
    const ida = place.person();
    await ida.signUp("ida@example.com");
    const made = await ida.run([
      "tokens",
      "create",
      "nightly",
      "--scopes",
      "keys:read",
      "teams:read",
      "--expires",
      "30d",
      "-q",
    ]);
    expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^mk-[0-9A-Za-z]{49}\n$/)]);
    const program = place.person();
    const env = { TURNPIKE_TOKEN: made.out.trim() };
    expect((await program.run(["teams", "list"], { env })).out).toContain("Default");
    expect((await program.run(["keys", "list"], { env })).code).toBe(0);
    const refused = await program.run(["teams", "create", "red"], { env });
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain("teams:write");

    const [, name, masked, , scopes] = (await ida.run(["tokens", "list"])).out.split("\t");
    expect([name, masked, scopes]).toEqual([
      "nightly",
      `mk-...${env.TURNPIKE_TOKEN.slice(-4)}`,
      "keys:read teams:read",
    ]);
    const odd = await ida.run(["tokens", "create", "odd", "--scopes", "everything"]);
    expect([odd.code, odd.err]).toEqual([2, expect.stringContaining("keys:read")]);
    expect((await ida.run(["tokens", "delete", "nobody", "--yes"])).code).toBe(5);
    expect((await ida.run(["tokens", "delete", "nightly", "--yes"])).code).toBe(0);
    expect((await program.run(["teams", "list"], { env })).code).toBe(3);
  },
  SLOW_MS,
);
