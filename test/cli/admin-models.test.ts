import { afterAll, expect, test } from "bun:test";
import { ADMIN, startPlace } from "./command-line.ts";

const place = await startPlace();
afterAll(() => place.close());
const SECRET = "canary-of-the-command-line";

test("an administrator keeps a credential, adds a model, tries it, changes it and removes both", async () => {
  const root = place.person();
  const login = ["login", "--email", ADMIN.email, "--password-stdin"];
  expect((await root.run(login, { stdin: ADMIN.password })).code).toBe(0);
  const run = async (...args: string[]) => {
    const result = await root.run(args, args.includes("--api-key-stdin") ? { stdin: `${SECRET}\n` } : {});
    expect(result.out + result.err).not.toContain(SECRET);
    return result;
  };

  expect((await run("admin", "credentials", "set", "mine", "--provider", "openai", "--api-key-stdin")).code).toBe(0);
  expect((await run("admin", "credentials", "set", "mine", "--api-base", "http://127.0.0.1:1/v1")).err).toContain(
    "changed",
  );
  expect((await run("admin", "credentials", "list")).out).toBe("mine\topenai\tapi_key, api_base\tdatabase\t-\n");
  expect((await run("admin", "providers")).out.split("\n").slice(0, 2)).toEqual([
    expect.stringContaining("echo\tOffline models\tyes"),
    expect.stringContaining("openai\tOpenAI\tyes\t0\tmine"),
  ]);

  const add = await run(
    ..."admin models add echo chat --name parrot --param rpm=9 --price input=0.000001 -q".split(" "),
  );
  expect([add.code, add.out]).toEqual([0, expect.stringMatching(/^[\w-]{36}\n$/)]);
  expect((await run("admin", "models", "test", "parrot")).out).toMatch(
    /Model +parrot\nResult +ok\nLatency +[\d.]+ ms\n/,
  );
  const listed = await run("admin", "models", "list", "--search", "parrot");
  expect(listed.out).toBe(`${add.out.trim()}\tparrot\techo\tchat\tdatabase\tenabled\n`);
  expect((await run("admin", "models", "disable", "parrot")).err).toContain("parrot is disabled");
  expect((await run("admin", "models", "enable", "parrot")).code).toBe(0);

  const unpriced = "Note: `own` has no known price";
  const own = await run("admin", "models", "add", "openai", "acme-own-1", "--name", "own", "--api-key-stdin");
  expect(own.err).toContain(unpriced);
  expect((await run("admin", "models", "disable", "own")).err).not.toContain(unpriced);
  expect((await run("admin", "models", "enable", "own")).err).toContain(unpriced);
  const freed = await run("admin", "models", "update", "own", "--info", "free=true");
  expect([freed.code, freed.err]).toEqual([0, expect.not.stringContaining(unpriced)]);

  const used = ["--name", "lent", "--credential", "mine", "--access-groups", "beta"];
  expect((await run("admin", "models", "add", "openai", "gpt-4o", ...used)).code).toBe(0);
  const failed = await run("admin", "models", "test", "lent");
  expect([failed.code, failed.err]).toEqual([1, expect.stringContaining("lent:")]);
  const refused = await run("admin", "credentials", "remove", "mine", "--yes");
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("`lent`")]);
  const faulty = await run("admin", "models", "update", "lent", "--param", "rpm=many", "--api-base", "nowhere");
  expect(faulty.code).toBe(2);
  for (const name of ["params.rpm", "apiBase"]) expect(faulty.err).toContain(name);
  expect((await run("admin", "models", "update", "lent", "--upstream", "gpt-4o-mini", "--name", "lent2")).code).toBe(0);
  expect((await run("admin", "models", "remove", "lent2")).code).toBe(2);
  expect((await run("admin", "models", "remove", "lent2", "--yes")).code).toBe(0);
  expect((await run("admin", "models", "remove", "echo", "--yes")).err).toContain("configuration file");
  expect((await run("admin", "models", "test", "none")).code).toBe(5);
  expect((await run("admin", "credentials", "remove", "mine", "--yes")).code).toBe(0);
  expect((await run("admin", "models", "add", "echo")).code).toBe(2);
  expect((await run("admin", "models", "update", "parrot", "--param", "rpm")).code).toBe(2);
}, 120_000);

test("nobody else may", async () => {
  const eve = place.person();
  await eve.signUp("eve@example.com");
  expect((await eve.run(["admin", "models", "list"])).code).toBe(4);
  expect((await eve.run(["admin", "credentials", "set", "x", "--value", "a=b"])).code).toBe(4);
}, 60_000);
