import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ADMIN, PASSWORD, type Person, startPlace } from "./command-line.ts";

const place = await startPlace();
afterAll(() => place.close());

const UNKNOWN = "00000000-0000-7000-8000-000000000000";
const SLOW_MS = 60_000;
let carl: Person;
beforeAll(async () => {
  carl = place.person();
  await carl.signUp("carl@example.com");
}, SLOW_MS);

describe("exit codes", () => {
  test.each([
    ["an unknown command", ["nonsense"], 2],
    ["an unknown option", ["keys", "list", "--nonsense"], 2],
    ["a command without its verb", ["keys"], 2],
    ["a count that is none", ["keys", "list", "--page", "0"], 2],
    ["an amount that is none", ["keys", "create", "x", "--budget", "1e3"], 2],
    ["an address that is none", ["whoami", "--url", "nonsense"], 2],
    ["a profile's name with a path in it", ["whoami", "--profile", "../x"], 2],
    ["something to confirm and nobody there", ["keys", "remove", UNKNOWN], 2],
    ["a password that nobody gives", ["login", "--email", "x@example.com"], 2],
    ["an administrator's command", ["admin", "users", "list"], 4],
    ["an unknown team", ["teams", "show", UNKNOWN], 5],
    ["an unknown team's name", ["teams", "show", "nonsense"], 5],
    ["an unknown key", ["keys", "show", UNKNOWN], 5],
    ["an unknown key's name", ["keys", "rotate", "nonsense", "--yes"], 5],
    ["an unknown organization", ["orgs", "use", UNKNOWN], 5],
    ["a name that is too long", ["teams", "create", "x".repeat(101)], 2],
    ["an argument that is empty", ["logs", "get", ""], 2],
    ["a key's update without a change", ["keys", "update", UNKNOWN], 2],
    ["a team's update without a change", ["teams", "update", UNKNOWN], 2],
    ["a member's update without a change", ["teams", "update-member", UNKNOWN, "x@example.com"], 2],
    ["an organization's update without a change", ["orgs", "update"], 2],
    ["any organization's update without a change", ["admin", "organizations", "update", UNKNOWN], 2],
    ["a month that is none", ["statement", "2026-13"], 2],
    ["a server where one is not signed in", ["whoami", "--url", "http://127.0.0.1:1"], 3],
    ["a public list of a server that is down", ["models", "list", "--url", "http://127.0.0.1:1"], 7],
    ["a call without a key", ["chat", "hello", "-m", "echo"], 3],
    ["help", ["keys", "--help"], 0],
  ])("%s", async (_, args, code) => {
    const result = await carl.run(args);
    expect([result.code, result.err]).toEqual([code, code === 0 ? "" : expect.stringMatching(/\S/)]);
    if (code !== 0) expect(result.out).toBe("");
  });

  test("a server that went away is 7 for whoever is signed in there", async () => {
    const away = { env: { TURNPIKE_URL: "http://127.0.0.1:1", TURNPIKE_TOKEN: "kept from before" } };
    const { code, err } = await carl.run(["whoami", "--json"], away);
    expect([code, JSON.parse(err).code]).toEqual([7, "NETWORK_ERROR"]);
  });

  test("nobody who is not signed in gets past 3, and is told what to do", async () => {
    const stranger = place.person();
    for (const args of [["whoami"], ["keys", "list"], ["orgs", "list"], ["teams", "create", "x"], ["logout"]]) {
      const { code, err } = await stranger.run(args);
      expect([code, err]).toEqual([3, expect.stringContaining("turnpike login")]);
    }
    expect((await stranger.run(["whoami"], { env: { TURNPIKE_TOKEN: "made up" } })).code).toBe(3);
    const login = await stranger.run(["login", "--email", ADMIN.email, "--password-stdin"], { stdin: "not it" });
    expect([login.code, login.err]).toEqual([3, expect.not.stringContaining("not it")]);
    expect((await stranger.run(["models", "list"])).code).toBe(0);
  });

  test("whose token stands in the environment is told so, since logging in would not change it", async () => {
    const stale = await carl.run(["whoami"], { env: { TURNPIKE_TOKEN: "made up" } });
    expect([stale.code, stale.err]).toEqual([3, expect.stringContaining("the token in TURNPIKE_TOKEN")]);
    const key = await carl.run(["keys", "list"], { env: { TURNPIKE_TOKEN: "sk-a-key-0123456789" } });
    expect([key.code, key.err]).toEqual([3, expect.stringContaining("a key was sent")]);
    expect(key.err).toContain("the master key is for `turnpike admin`");
    const env = { env: { TURNPIKE_TOKEN: "made up" }, stdin: "not it" };
    const login = await carl.run(["login", "--email", ADMIN.email, "--password-stdin"], env);
    expect([login.code, login.err]).toEqual([3, expect.not.stringContaining("TURNPIKE_TOKEN")]);
  });

  test("hints name the program as it is called where one is", async () => {
    const { err } = await place.person().run(["whoami"], { env: { TURNPIKE_COMMAND: "npm run -s turnpike --" } });
    expect(err).toContain("Run `npm run -s turnpike -- login`");
  });

  test("hints keep to the profile that was named: what they say to type is for the same account", async () => {
    const eve = place.person();
    const signUp = ["signup", "--email", "eve@example.com", "--password-stdin", "--profile", "work"];
    expect((await eve.run(signUp, { stdin: PASSWORD })).code).toBe(0);
    const { err } = await eve.run(["teams", "create", "red", "--profile", "work"]);
    const [, hint = ""] = err.match(/turnpike (.* keys create my-key .*)/) ?? [];
    expect((await eve.run(hint.split(" "))).code).toBe(0);
    const stranger = await eve.run(["whoami", "--profile=home"]);
    expect(stranger.err).toContain("Run `turnpike --profile home login`");
  });

  test("hints keep to the server that was named", async () => {
    const dan = place.person();
    const env = { TURNPIKE_URL: "http://127.0.0.1:1" };
    const at = ["--url", place.url];
    const signUp = ["signup", "--email", "dan@example.com", "--password-stdin", ...at];
    expect((await dan.run(signUp, { stdin: PASSWORD, env })).code).toBe(0);
    const { err } = await dan.run(["teams", "create", "red", `--url=${place.url}`, "--profile", "default"], { env });
    const [, hint = ""] = err.match(/turnpike (.* keys create my-key .*)/) ?? [];
    expect(hint).toStartWith(`--url ${place.url} --profile default keys`);
    expect((await dan.run(hint.split(" "), { env })).code).toBe(0);
    const stranger = await dan.run(["whoami", "--url", "http://127.0.0.1:1"]);
    expect(stranger.err).toContain("Run `turnpike --url http://127.0.0.1:1 login`");
  });

  test("what answers but is no Turnpike is named as such", async () => {
    const other = Bun.serve({ port: 0, fetch: () => new Response("<h1>Hello</h1>") });
    const elsewhere = Bun.serve({ port: 0, fetch: () => Response.redirect("https://example.com/") });
    const at = (port: number | undefined) => carl.run(["models", "list", "--url", `http://127.0.0.1:${port}`]);
    expect((await at(other.port)).err).toContain("not a Turnpike server");
    expect((await at(elsewhere.port)).err).toContain("https://example.com/");
    await Promise.all([other.stop(true), elsewhere.stop(true)]);
  });

  test("a settings file that is broken is named", async () => {
    const dora = place.person();
    mkdirSync(join(dora.home, "xdg/turnpike"), { recursive: true });
    writeFileSync(join(dora.home, "xdg/turnpike/config.json"), "{");
    const { code, err } = await dora.run(["models", "list"], {
      env: { TURNPIKE_URL: "", XDG_CONFIG_HOME: join(dora.home, "xdg") },
    });
    expect([code, err]).toEqual([1, expect.stringContaining("config.json is not a JSON object")]);
  });

  test("an answer that breaks off is an error, after what had come", async () => {
    const half = 'data: {"choices":[{"delta":{"content":"half"}}]}\n\n';
    const broken = Bun.serve({ port: 0, fetch: () => new Response(half) });
    const url = `http://127.0.0.1:${broken.port}`;
    const result = await carl.run(["chat", "x", "-m", "echo", "--key", "sk-x", "--url", url]);
    expect([result.code, result.out]).toEqual([7, "half\n"]);
    expect(result.err).toContain("broke off");
    await broken.stop(true);
  });
});

test("an answer is printed as it comes, and an interrupt ends it with 130", async () => {
  const piece = 'data: {"choices":[{"delta":{"content":"so far"}}]}\n\n';
  const slow = Bun.serve({
    port: 0,
    fetch: () => new Response(new ReadableStream({ start: (out) => out.enqueue(new TextEncoder().encode(piece)) })),
  });
  const url = `http://127.0.0.1:${slow.port}`;
  const child = carl.start(["chat", "x", "-m", "echo", "--url", url], { env: { TURNPIKE_KEY: "sk-x" } });
  const reader = child.stdout.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("so far");
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  await slow.stop(true);
});

describe("with --json", () => {
  test("lists have the API's shape", async () => {
    const meta = { page: 1, pageSize: 100, total: expect.any(Number), totalPages: expect.any(Number) };
    for (const args of [
      ["orgs", "list"],
      ["teams", "list"],
      ["keys", "list"],
      ["providers", "list"],
    ]) {
      expect(await carl.json<object>(args)).toEqual({ data: expect.any(Array), meta });
    }
    const models = await carl.json<object>(["models", "list"]);
    expect(models).toEqual({ data: expect.any(Array), meta, factsDate: expect.any(String) });
    const chat = await carl.json<{ data: { type: string }[] }>(["models", "list", "--type", "chat"]);
    expect(new Set(chat.data.map(({ type }) => type))).toEqual(new Set(["chat"]));
  });

  test("a made key carries its value, an answer is the model's own", async () => {
    const { key, id } = await carl.json<{ key: string; id: string }>(["keys", "create", "mine"]);
    expect(key).toStartWith("sk-");
    const answer = await carl.json(["chat", "hello", "-m", "echo", "--via-platform", id]);
    expect(answer).toMatchObject({ object: "chat.completion", model: "echo" });
  });

  test.each([
    ["the server's refusal", ["keys", "show", UNKNOWN], "NOT_FOUND", expect.stringMatching(/\S/)],
    ["the model's refusal", ["chat", "x", "-m", "echo", "--key", "sk-unknown"], "invalid_api_key", expect.any(String)],
    ["a mistake in the arguments", ["keys", "list", "--nonsense"], "USAGE_ERROR", null],
    ["a missing command", ["keys"], "USAGE_ERROR", null],
  ])("%s is one object on stderr", async (_, args, code, requestId) => {
    const { out, err } = await carl.run([...args, "--json"]);
    expect([out, JSON.parse(err)]).toEqual(["", { error: expect.any(String), code, requestId }]);
  });
});
