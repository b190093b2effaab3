import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { type Person, type Place, startPlace } from "./command-line.ts";

let place: Place;
beforeAll(async () => {
  place = await startPlace();
});
afterAll(() => place.close());

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { id: string; status: string; detail: string; hint: string | null }[];
}

/** What it says, by check: the status, and all its words. */
async function examine(person: Person, env: Record<string, string> = {}) {
  const { code, out, err } = await person.run(["doctor", "--json"], { env });
  const { ok, checks } = JSON.parse(out) as Report;
  expect(ok).toBe(code === 0);
  expect(err === "").toBe(ok);
  const status = Object.fromEntries(checks.map((check) => [check.id, check.status]));
  const words = Object.fromEntries(checks.map((check) => [check.id, `${check.detail} ${check.hint}`]));
  return { code, out, status, words };
}

/** Answers every question alike. */
const answering = (answer: () => Response) => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });

test("everything is well with somebody who is signed in and has a key", async () => {
  const ann = place.person();
  await ann.signUp("ann@example.com");
  const key = (await ann.run(["keys", "create", "mine", "--quiet"])).out.trim();
  const { code, status, words, out } = await examine(ann, { TURNPIKE_KEY: key });
  expect(code).toBe(0);
  expect(new Set(Object.values(status))).toEqual(new Set(["ok"]));
  expect(Object.keys(status)).toEqual([
    "settings",
    "address",
    "proxy",
    "server",
    "ready",
    "clock",
    "sign-in",
    "key",
    "version",
  ]);
  expect(words["sign-in"]).toContain("ann@example.com");
  expect(words.version).toContain(`Both are ${manifest.version}`);
  expect(out).not.toContain(key);

  chmodSync(join(ann.home, ".config/turnpike/credentials.json"), 0o644);
  expect((await examine(ann)).words.settings).toContain("chmod 600");
  const lines = await ann.run(["doctor"]);
  expect(lines.out).toMatch(/^ok {4}sign-in {3}You are ann@example\.com/m);
  expect((await ann.run(["doctor", "--quiet"])).out).toBe("settings\nkey\n");
});

test("who has neither a session nor a key is told how to come by them, and it is no failure", async () => {
  const { code, status, words } = await examine(place.person());
  expect([code, status["sign-in"], status.key]).toEqual([0, "warn", "warn"]);
  expect(words["sign-in"]).toContain("login");
});

test("a key, a token and a credentials file that are no good fail with what else they would end with", async () => {
  const person = place.person();
  const bad = await examine(person, { TURNPIKE_KEY: "sk-secret-secret", TURNPIKE_TOKEN: "not.a.token" });
  expect([bad.code, bad.status["sign-in"], bad.status.key]).toEqual([3, "fail", "fail"]);
  expect(bad.out).not.toMatch(/secret-secret|not\.a\.token/);
  await person.run(["config", "set", "url", place.url]);
  writeFileSync(join(person.home, ".config/turnpike/credentials.json"), "{");
  const broken = await examine(person);
  expect([broken.code, broken.status.settings]).toEqual([1, "fail"]);
});

test("a management token is well, whether or not its scopes let it say whose it is", async () => {
  const eve = place.person();
  await eve.signUp("eve@example.com");
  const examined = async (scope: string) => {
    const made = await eve.run(["tokens", "create", scope, "--scopes", scope, "--quiet"]);
    const { code, status, words, out } = await examine(place.person(), { TURNPIKE_TOKEN: made.out.trim() });
    expect(out).not.toContain(made.out.trim());
    return [code, status["sign-in"], words["sign-in"]];
  };
  expect(await examined("organization:read")).toEqual([0, "ok", expect.stringContaining("eve@example.com (user)")]);
  expect(await examined("keys:read")).toEqual([0, "ok", expect.stringContaining("is a management token")]);
  const none = await examine(place.person(), { TURNPIKE_TOKEN: `mk-${"a".repeat(49)}` });
  expect([none.code, none.status["sign-in"]]).toEqual([3, "fail"]);
});

test("a server that cannot be reached, speaks no TLS or is another one is told from each other", async () => {
  const away = await examine(place.person("http://127.0.0.1:1"));
  expect([away.code, away.status.server, away.status.ready]).toEqual([7, "fail", undefined]);
  const plain = await examine(place.person(place.url.replace("http:", "https:")));
  expect([plain.code, plain.words.server]).toEqual([7, expect.stringContaining("speaks no TLS")]);
  const other = answering(() => new Response("hello"));
  const moved = answering(() => Response.redirect("https://gateway.example.com/health/readiness"));
  expect((await examine(place.person(other.url.href))).words.server).toContain("not a Turnpike server");
  expect((await examine(place.person(moved.url.href))).words.server).toContain("on to https://gateway.example.com.");
  await Promise.all([other.stop(true), moved.stop(true)]);
});

test("a server that takes no calls says why, and a clock that is off is told", async () => {
  const body = { status: "unhealthy", reason: "The database does not answer." };
  const headers = { date: new Date(Date.now() - 3_600_000).toUTCString() };
  const server = answering(() => Response.json(body, { status: 503, headers }));
  const { code, words, status } = await examine(place.person(server.url.href));
  await server.stop(true);
  expect([code, words.ready]).toEqual([1, expect.stringContaining("It takes no calls: The database does not answer.")]);
  expect([status.clock, words.clock]).toEqual(["warn", expect.stringMatching(/36\d\d seconds ahead of/)]);
});

test("a proxy before a server on this machine is named, without its password", async () => {
  const env = { HTTP_PROXY: "http://me:secret@127.0.0.1:1" };
  const { code, out, words, status } = await examine(place.person(), env);
  expect([code, status.proxy, words.proxy]).toEqual([7, "warn", expect.stringContaining("NO_PROXY=127.0.0.1")]);
  expect(out).not.toContain("secret");
  expect((await examine(place.person(), { ...env, NO_PROXY: "localhost, 127.0.0.1" })).status.proxy).toBe("ok");
});

test("on a narrow terminal its words go on below each other", async () => {
  const shown = await place.person("http://127.0.0.1:1").onTerminal(["doctor"], 60, "checks failed: server.\r\n");
  expect(shown).toContain(
    `fail  server    http://127.0.0.1:1 cannot be reached
                (ECONNREFUSED).
                Is the server running, and is the address
                right? Set it with --url or TURNPIKE_URL.
`.replaceAll("\n", "\r\n"),
  );
});
