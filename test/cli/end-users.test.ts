import { afterAll, expect, test } from "bun:test";
import { startPlace } from "./command-line.ts";

const place = await startPlace();
afterAll(() => place.close());
const SLOW_MS = 60_000;

test(
  "end users get limits, a budget and a block, and are let go of again",
  async () => {
    const una = place.person();
    await una.signUp("una@example.com");
    const { key } = await una.json<{ key: string }>(["keys", "create", "hers"]);
    const chat = async (user: string) =>
      (await una.run(["chat", "-m", "echo", "hi", "--user", user], { env: { TURNPIKE_KEY: key } })).code;

    expect(await una.json<object>(["end-users", "set", "a/b c", "--budget", "2.50", "--rpm", "9"])).toMatchObject({
      id: "a/b c",
      blocked: false,
      budget: { limit: 2_500_000_000, window: "total" },
      rpmLimit: 9,
    });
    const changed = await una.run(["end-users", "set", "a/b c", "--alias", "Ada", "--rpm", "none"]);
    expect(changed.out).toMatch(/Alias +Ada\n[\s\S]*Budget +\$2.50 \(total\)/);
    expect(await una.json<object>(["end-users", "set", "a/b c", "--alias", "none"])).toMatchObject({
      alias: null,
      rpmLimit: null,
    });

    expect(await chat("mallory")).toBe(0);
    expect((await una.run(["end-users", "block", "mallory"])).err).toContain("refused now");
    expect(await chat("mallory")).toBe(4);
    expect((await una.run(["end-users", "list"])).out.split("\n")).toEqual([
      expect.stringMatching(/^a\/b c\t.*no/),
      expect.stringMatching(/^mallory\t.*yes/),
      "",
    ]);
    expect((await una.run(["end-users", "list", "--search", "mall", "-q"])).out).toBe("mallory\n");
    expect((await una.run(["end-users", "unblock", "mallory"])).code).toBe(0);
    expect(await chat("mallory")).toBe(0);
    expect((await una.run(["end-users", "remove", "mallory", "--yes"])).code).toBe(0);
    expect((await una.run(["end-users", "unblock", "mallory"])).code).toBe(5);
    expect((await una.run(["end-users", "set", "mallory"])).code).toBe(2);
  },
  SLOW_MS,
);
