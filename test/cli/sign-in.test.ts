import { afterAll, describe, expect, test } from "bun:test";
import { TOTP } from "otpauth";
import { PASSWORD, startPlace } from "./command-line.ts";

const place = await startPlace();
afterAll(() => place.close());

const SLOW_MS = 60_000;
/** Good for half a minute at least; one of the step before would end with the next one, which may be now. */
const codeOf = (secret: string): string => new TOTP({ secret }).generate();

describe("a second factor", () => {
  test(
    "is switched on, asked for, and switched off with the command line alone",
    async () => {
      const ann = place.person();
      await ann.signUp("ann@example.com");
      const { secret, uri } = await ann.json<{ secret: string; uri: string }>(["account", "2fa", "enable"]);
      expect(uri).toContain(`secret=${secret}`);
      const enabled = await ann.run(["account", "2fa", "enable", "--code", codeOf(secret), "--password-stdin"], {
        stdin: PASSWORD,
      });
      const codes = enabled.out.trim().split("\n");
      expect([enabled.code, codes.length]).toEqual([0, 10]);
      expect((await ann.run(["account", "2fa", "enable"])).code).toBe(1);
      await ann.run(["logout"]);

      const logIn = (...more: string[]) =>
        ann.run(["login", "--email", "ann@example.com", "--password-stdin", ...more], { stdin: PASSWORD });
      const refused = await logIn();
      expect([refused.code, refused.out]).toEqual([3, ""]);
      expect(refused.err).toContain("--code");
      expect((await logIn("--code", "aaaa-aaaa-aaaa")).code).toBe(3);
      expect((await logIn("--code", codes[0] ?? "")).code).toBe(0);
      expect((await logIn("--code", codes[0] ?? "")).code).toBe(3);

      const renewed = await ann.json<{ recoveryCodes: string[] }>([
        "account",
        "2fa",
        "recovery-codes",
        "--code",
        codes[1] ?? "",
      ]);
      expect(renewed.recoveryCodes).toHaveLength(10);
      expect((await ann.run(["account", "2fa", "disable", "--password-stdin"], { stdin: "wrong" })).code).toBe(4);
      expect((await ann.run(["account", "2fa", "disable", "--password-stdin"], { stdin: PASSWORD })).code).toBe(0);
      expect((await logIn()).code).toBe(0);
    },
    SLOW_MS,
  );
});

describe("a log-in by device", () => {
  /** A command that waits, and the code that it shows. */
  async function started(name: string) {
    const person = place.person();
    const child = person.start(["login", "--device"]);
    let shown = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      shown += decoder.decode(chunk, { stream: true });
      if (/code [A-Z]{4}-[A-Z]{4}\n/.test(shown)) break;
    }
    const [, address = "", userCode = ""] = /machine, (\S+) and enter the code (\S+)/.exec(shown) ?? [];
    const decide = (decision: string) =>
      fetch(address, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ user_code: userCode, email: name, password: PASSWORD, decision }).toString(),
      });
    return { person, child, address, shown, decide };
  }

  test(
    "waits for a person to approve it in a browser, and is then signed in",
    async () => {
      await place.person().signUp("bob@example.com");
      const { person, child, address, shown, decide } = await started("bob@example.com");
      expect(address).toBe(`${place.url}/device`);
      expect(shown).toContain(`Open ${place.url}/device?user_code=`);
      const answer = await decide("approve");
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Approved")]);
      expect(await child.exited).toBe(0);
      expect((await person.run(["whoami", "--quiet"])).out).toBe("bob@example.com\n");
    },
    SLOW_MS,
  );

  test(
    "that the person refuses signs nobody in",
    async () => {
      await place.person().signUp("cleo@example.com");
      const { person, child, decide } = await started("cleo@example.com");
      expect((await decide("deny")).status).toBe(200);
      expect(await child.exited).toBe(3);
      expect((await person.run(["whoami"])).code).toBe(3);
    },
    SLOW_MS,
  );
});

test("`auth login` takes the password as a flag, with a warning, and `auth token` prints what is kept", async () => {
  const person = place.person();
  await person.signUp("flags@example.com");
  expect((await person.run(["auth", "logout"])).code).toBe(0);
  const login = ["auth", "login", "--email", "flags@example.com", "--password"];
  const done = await person.run([...login, PASSWORD]);
  expect([done.code, done.err]).toEqual([0, expect.stringContaining("--password-stdin is safer")]);
  expect((await person.run(["auth", "whoami", "--quiet"])).out).toBe("flags@example.com\n");
  const { out: token } = await person.run(["auth", "token"]);
  const me = await fetch(`${place.url}/api/auth/me`, { headers: { authorization: `Bearer ${token.trim()}` } });
  expect(me.status).toBe(200);
  expect((await person.run([...login, "a wrong one"])).code).toBe(3);
  expect((await person.run([...login, PASSWORD, "--password-stdin"])).code).toBe(2);
}, 60_000);
