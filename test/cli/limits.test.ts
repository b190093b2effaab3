import { afterAll, expect, test } from "bun:test";
import { ADMIN, startPlace } from "./command-line.ts";

const place = await startPlace();
afterAll(() => place.close());
const SLOW_MS = 60_000;

test(
  "limits of keys, teams, members and organizations are set and taken away",
  async () => {
    const gus = place.person();
    await gus.signUp("gus@example.com");
    const key = await gus.json<{ id: string; key: string; softBudget: number }>([
      ...["keys", "create", "limited", "--budget", "2.50", "--soft-budget", "1", "--parallel", "3"],
    ]);
    expect(key).toMatchObject({ budget: { limit: 2_500_000_000, window: "total" }, softBudget: 1_000_000_000 });
    const changed = ["keys", "update", "limited", "--budget", "none", "--rpm", "5", "--models", "echo"];
    expect(await gus.json<object>(changed)).toMatchObject({ budget: null, rpmLimit: 5, models: ["echo"] });
    expect(await gus.json<object>(["keys", "update", "limited", "--models", "all", "--rpm", "none"])).toMatchObject({
      models: [],
      rpmLimit: null,
      parallelLimit: 3,
    });
    const shown = (await gus.run(["keys", "show", "limited"])).out;
    expect(shown).toContain("Calls at one time");
    expect(shown).toMatch(/Team +Default \([\w-]{36}\)\n[\s\S]*Guardrails +none of its own\n/);
    expect((await gus.run(["keys", "list"])).out).toMatch(/^[\w-]{36}\tlimited\t.*\tDefault\n$/);
    expect(await gus.json<object>(["keys", "update", "limited", "--rpm", "0"])).toMatchObject({ rpmLimit: 0 });
    await gus.run(["keys", "update", "limited", "--rpm", "none"]);
    const below = await gus.run(["keys", "update", "limited", "--rpm=-1"]);
    expect([below.code, below.err]).toEqual([2, expect.stringContaining("none takes the limit away")]);
    const odd = await gus.run(["keys", "create", "odd", "--models", "nosuchmodel", "echo"]);
    expect(odd.err).toContain("shows no nosuchmodel");
    expect(odd.err).not.toContain("shows no echo");
    expect(odd.out).toMatch(/Team +Default\n/);
    const high = await gus.run(["keys", "update", "odd", "--budget", "1", "--soft-budget", "5"]);
    expect([high.code, high.err]).toEqual([0, expect.stringContaining("above the budget")]);
    expect((await gus.run(["keys", "disable", "odd"])).code).toBe(0);

    const team = await gus.json<{ id: string }>([
      "teams",
      "update",
      "Default",
      "--budget",
      "10",
      "--budget-window",
      "12h",
    ]);
    expect(team).toMatchObject({ budget: { limit: 10_000_000_000, window: "12h" } });
    const year = await gus.run(["teams", "update", "Default", "--budget-window", "year"]);
    expect([year.code, year.err]).toEqual([2, expect.stringContaining("duration such as 12h")]);
    const member = ["teams", "update-member", "Default", "gus@example.com", "--budget", "1", "--tpm", "100"];
    expect(await gus.json<object>(member)).toMatchObject({ budget: { limit: 1_000_000_000 }, tpmLimit: 100 });
    expect((await gus.run([...member, "--parallel", "2"])).code).toBe(2);
    const org = await gus.json<{ id: string }>([
      "orgs",
      "update",
      "--name",
      "Gus & Co",
      "--budget",
      "7",
      "--store-prompts",
    ]);
    expect(org).toMatchObject({ name: "Gus & Co", budget: { limit: 7_000_000_000 }, storePrompts: true });

    const desk = place.person();
    await desk.run(["login", "--email", ADMIN.email, "--password-stdin"], { stdin: ADMIN.password });
    expect((await desk.run(["admin", "organizations", "list", "--search", "gus"])).out).toContain("Gus & Co");
    const invoiced = ["admin", "organizations", "update", "Gus & Co", "--billing", "invoiced", "--rpm", "9"];
    expect(await desk.json<object>(invoiced)).toMatchObject({ billing: "invoiced", rpmLimit: 9 });
    expect((await gus.run(["admin", "organizations", "list"])).code).toBe(4);

    const chat = () => gus.run(["chat", "-m", "echo", "hi"], { env: { TURNPIKE_KEY: key.key } });
    expect((await chat()).code).toBe(0);
    expect((await desk.run(["admin", "teams", "block", team.id])).code).toBe(0);
    expect((await chat()).code).toBe(6);
    expect((await desk.run(["admin", "teams", "unblock", team.id])).code).toBe(0);
    expect((await chat()).code).toBe(0);
  },
  SLOW_MS,
);

test(
  "an administrator finds the teams of others, and names one as its people do",
  async () => {
    const una = place.person();
    await una.signUp("una@example.com");
    const { id } = await una.json<{ id: string }>(["teams", "create", "Only here"]);
    const desk = place.person();
    await desk.run(["login", "--email", ADMIN.email, "--password-stdin"], { stdin: ADMIN.password });
    const rows = (await desk.run(["admin", "teams", "list", "--search", "only"])).out;
    expect(rows).toBe(`${id}\tOnly here\tuna's organization\tactive\n`);
    expect((await desk.run(["admin", "teams", "block", "Only here"])).err).toBe("Only here is blocked.\n");
    expect((await desk.run(["admin", "teams", "unblock", "Only here"])).code).toBe(0);
    const unknown = await desk.run(["admin", "teams", "block", "No such team"]);
    expect([unknown.code, unknown.err]).toEqual([5, expect.stringContaining("turnpike admin teams list")]);
    const several = await desk.run(["admin", "teams", "block", "Default"]);
    expect([several.code, several.err]).toEqual([2, expect.stringContaining("Name it by its id.")]);
  },
  SLOW_MS,
);
