import { afterAll, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PASSWORD, startPlace } from "./command-line.ts";

const place = await startPlace();
afterAll(() => place.close());

const SLOW_MS = 180_000;

interface Calls {
  readonly data: readonly { readonly cost: number }[];
  readonly meta: { readonly total: number };
}

/** Asks again until it is so, or fails. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let left = 100; left > 0; left--) {
    if (await isSo()) return;
    await Bun.sleep(100);
  }
  throw new Error("it never came about");
}

test(
  "a newcomer gets from signing up to a model's answer with the command line alone, and brings in a second person",
  async () => {
    const ann = place.person();
    const said: string[] = [];
    const run = async (...args: Parameters<typeof ann.run>) => {
      const result = await ann.run(...args);
      said.push(result.err);
      return result;
    };

    const signUp = ["signup", "--email", "ann@example.com", "--password-stdin", "--organization", "Acme"];
    expect(await run(signUp, { stdin: `${PASSWORD}\n` })).toMatchObject({ code: 0, out: "" });
    expect((await run(["whoami", "--quiet"])).out).toBe("ann@example.com\n");
    expect((await run(["orgs", "list"])).out).toMatch(/^[\w-]{36}\tAcme\towner\tactive\t1\t1\tyes\n$/);

    const team = (await run(["teams", "create", "red", "--quiet"])).out.trim();
    const made = await run(["keys", "create", "first", "--team", "red", "--budget", "2.50", "--quiet"]);
    expect([made.code, made.err]).toEqual([0, ""]);
    expect(made.out).toMatch(/^sk-\w+\n$/);
    const first = made.out.trim();

    const call = (key: string) => run(["chat", "Hello!", "-m", "echo"], { env: { TURNPIKE_KEY: key } });
    expect(await call(first)).toEqual({ code: 0, out: "You said: Hello!\n", err: "" });
    const piped = await run(["chat", "-", "-m", "echo", "--key", first, "--no-stream"], { stdin: "from a file\n" });
    expect(piped.out).toBe("You said: from a file\n");
    const long = await run(["chat", "-m", "echo", "--key", first, "--no-stream"], { stdin: "a".repeat(90_000) });
    expect(long.out).toHaveLength("You said: \n".length + 90_000);
    const platform = await run(["chat", "-m", "echo", "--via-platform", "first"], { stdin: "signed in" });
    expect(platform.out).toBe("You said: signed in\n");

    const link = (await run(["teams", "invite", "red", "bea@example.com", "--quiet"])).out.trim();
    const bea = place.person();
    expect(await bea.run(["signup", "--invitation", link, "--password-stdin"], { stdin: PASSWORD })).toMatchObject({
      code: 0,
      err: expect.stringContaining("You are in the team red of Acme."),
    });
    expect((await bea.run(["whoami", "--quiet"])).out).toBe("bea@example.com\n");
    const hers = (await bea.run(["keys", "create", "hers", "--team", "red", "--quiet"])).out.trim();
    expect((await bea.run(["chat", "Hi!", "-m", "echo", "--key", hers])).out).toBe("You said: Hi!\n");
    expect((await run(["teams", "show", "red"])).out).toContain("bea@example.com (member");
    expect((await bea.run(["keys", "remove", "hers", "--yes"])).code).toBe(0);

    const list = await run(["keys", "list", "--team", team]);
    expect(list.out).toContain(`\tfirst\tsk-...${first.slice(-4)}\tactive\t`);
    expect(list.out).not.toContain(first);
    expect((await run(["keys", "show", "first"])).out).toMatch(/Budget +\$2\.50 /);

    const second = (await run(["keys", "rotate", "first", "--grace", "600", "--quiet"])).out.trim();
    expect(second).not.toBe(first);
    expect([(await call(first)).code, (await call(second)).code]).toEqual([0, 0]);
    const third = (await run(["keys", "rotate", "first", "--yes", "--quiet"])).out.trim();
    expect((await call(second)).code).toBe(3);

    const seen = await call(third);
    expect(seen.code).toBe(0);
    // A call is in the log a moment after its answer; nothing here depends on how long that takes.
    await until(async () => (await ann.json<Calls>(["logs", "--key", "first"])).meta.total >= 7);
    const { data: logged } = await ann.json<Calls>(["logs", "--key", "first"]);
    expect(logged[0]).toMatchObject({ model: "echo", status: "succeeded", apiKeyName: "first", teamName: "red" });
    expect(logged.every(({ cost }) => cost > 0)).toBe(true);
    const [newest] = (await run(["logs", "--key", "first"])).out.split("\n");
    expect(newest).toContain("echo");

    const fourth = (await run(["keys", "rotate", "first", "--grace", "2", "--quiet"])).out.trim();
    expect((await call(fourth)).code).toBe(0);
    await until(async () => (await call(third)).code === 3);
    expect((await call(fourth)).code).toBe(0);

    expect((await run(["keys", "rename", "first", "renamed"])).code).toBe(0);
    expect((await run(["keys", "disable", "renamed", "--yes"])).code).toBe(0);
    expect((await call(fourth)).code).toBe(3);
    expect((await run(["keys", "enable", "renamed"])).code).toBe(0);
    expect((await call(fourth)).code).toBe(0);

    expect((await run(["keys", "remove", "renamed"])).code).toBe(2);
    expect((await run(["keys", "remove", "renamed", "--yes"])).code).toBe(0);
    expect((await run(["keys", "list"])).out).toBe("");
    expect((await run(["logout"])).code).toBe(0);
    expect((await run(["keys", "list"])).code).toBe(3);

    const secrets = [PASSWORD, first, second, third, link];
    const config = readFileSync(join(ann.home, ".config/turnpike/config.json"), "utf8");
    for (const secret of secrets) expect(`${said.join("")}${config}`).not.toContain(secret);
  },
  SLOW_MS,
);

test(
  "the token lies in a file that only its owner may read, and nowhere else",
  async () => {
    const bob = place.person();
    const signUp = await bob.signUp("bob@example.com");
    const folder = join(bob.home, ".config/turnpike");
    const { default: kept } = JSON.parse(readFileSync(join(folder, "credentials.json"), "utf8"));
    expect([kept.url, typeof kept.token]).toEqual([place.url, "string"]);
    expect(statSync(join(folder, "credentials.json")).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const debug = await bob.run(["whoami", "--debug"]);
    expect(debug.err).toContain("/api/auth/me: 200");
    const config = readFileSync(join(folder, "config.json"), "utf8");
    expect(JSON.parse(config)).toEqual({ profiles: { default: { url: place.url, email: "bob@example.com" } } });
    for (const text of [config, signUp.out, signUp.err, debug.out, debug.err]) expect(text).not.toContain(kept.token);
  },
  SLOW_MS,
);
