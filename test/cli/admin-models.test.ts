import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
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
  for (const name of ["--param rpm: ", "--api-base: "]) expect(faulty.err).toContain(name);
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

test("prices from a file are told first, and changed with --apply", async () => {
  const root = place.person();
  expect((await root.run(["login", "--email", ADMIN.email, "--password-stdin"], { stdin: ADMIN.password })).code).toBe(
    0,
  );
  const made = await root.run("admin models add openai acme-2 --name bill --price input=1e-9 -q".split(" "));
  const id = made.out.trim();
  const file = join(root.home, "prices.json");
  const prices = (input: string) =>
    `{"openai/acme-2":{"litellm_provider":"openai","input_cost_per_token":${input},"output_cost_per_token":1e-8},
      "groq/other":{"litellm_provider":"groq","input_cost_per_token":1e-9}}`;
  writeFileSync(file, prices("2.80000000000000000001e-9"));
  const run = (...args: string[]) => root.run(["admin", "models", "import", ...args]);
  const line = (field: string, from: string, to: string, result: string) =>
    `bill\topenai/acme-2\t${field}\t${from}\t${to}\t${result}\n`;

  const told = await run(file);
  expect([told.code, told.out]).toEqual([
    0,
    line("input_cost_per_token", "0.000000001", "0.0000000028", "would change") +
      line("output_cost_per_token", "-", "0.00000001", "would change"),
  ]);
  for (const words of ["2.80000000000000000001e-9 is rounded to 0.0000000028", "fit no model: groq/other", "--apply"])
    expect(told.err).toContain(words);
  const priceOf = async () => {
    const { data } = await root.json<{ data: { inputPrice: number }[] }>("admin models list --search bill".split(" "));
    return data[0]?.inputPrice;
  };
  expect(await priceOf()).toBe(1_000_000);

  const applied = await run(file, "--apply");
  expect([applied.code, applied.out]).toEqual([0, expect.stringContaining("\t0.0000000028\tchanged\n")]);
  expect(applied.err).toContain("The prices of 1 model are changed.");
  expect(await priceOf()).toBe(2_800_000);
  const again = await run(file, "--apply", "--json");
  expect(JSON.parse(again.out)).toMatchObject({ dryRun: false, summary: { changed: 0, unchanged: 1, rounded: 1 } });
  expect((await root.run(["admin", "models", "import", "-", "-q"], { stdin: prices("3e-9") })).out).toBe(`${id}\n`);

  for (const bad of ["{", `{"openai/acme-2":{"input_cost_per_token":"cheap"}}`, " "]) {
    writeFileSync(file, bad);
    const refused = await run(file, "--apply");
    expect([refused.code, refused.out]).toEqual([2, ""]);
  }
  expect((await run(join(root.home, "none.json"))).err).toContain("cannot be read");
  expect(await priceOf()).toBe(2_800_000);

  const eve = place.person();
  await eve.signUp("eve-of-prices@example.com");
  expect((await eve.run(["admin", "models", "import", "-"], { stdin: prices("1") })).code).toBe(4);
}, 120_000);

test("an administrator loads a newer model table after a preview, and resets it", async () => {
  const root = place.person();
  await root.run(["login", "--email", ADMIN.email, "--password-stdin"], { stdin: ADMIN.password });
  const add = ["add", "openai", "gpt-4o-mini", "--name", "by-table", "--credential", "table-key"];
  await root.run(["admin", "credentials", "set", "table-key", "--provider", "openai", "--api-key-stdin"], {
    stdin: "k",
  });
  expect((await root.run(["admin", "models", ...add])).code).toBe(0);
  const run = (args: string, stdin?: string) =>
    root.run(["admin", "models", "table", ...args.split(" ")], stdin === undefined ? {} : { stdin });
  const table = (entry: object) => JSON.stringify({ date: "2099-01-01", models: { "openai/gpt-4o-mini": entry } });

  expect((await run("show")).out).toMatch(/^Date +2\d{3}-\d\d-\d\d\nOrigin +built-in\n/);
  const priced = table({ prices: { input: 7, output: 8 } });
  const seen = await run("load -", priced);
  expect([seen.code, seen.out]).toEqual([
    0,
    expect.stringContaining("by-table\tinput_cost_per_token\t0.00000015\t0.000007\trepriced\n"),
  ]);
  expect(seen.err).toContain("Nothing has changed; --apply uses the table.");
  expect((await run("show -q")).out).not.toBe("2099-01-01\n");
  expect((await run("load - --apply", priced)).err).toContain("The table is in use.");
  expect((await run("show -q")).out).toBe("2099-01-01\n");

  const refused = await run("load - --apply", table({ prices: { input: 0 } }));
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("leave the price out")]);
  const free = await run("load - --apply", table({ free: true }));
  expect([free.code, free.err]).toEqual([2, expect.stringContaining("would become free: `openai/gpt-4o-mini`")]);
  expect((await run("load - --apply --allow-free", table({ free: true }))).code).toBe(0);
  expect((await run("reset --yes")).code).toBe(0);
  expect((await run("show")).out).toContain("built-in");
}, 120_000);
