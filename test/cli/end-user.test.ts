import { afterAll, expect, test } from "bun:test";
import { startPlace } from "./command-line.ts";

const place = await startPlace({}, "general_settings:\n  enforce_user_param: true\n");
afterAll(() => place.close());
const SLOW_MS = 60_000;

test(
  "where every call says whom it is made for, `chat --user` says it",
  async () => {
    const una = place.person();
    await una.signUp("una@example.com");
    const { key } = await una.json<{ key: string }>(["keys", "create", "hers"]);
    const chat = (...more: string[]) => una.run(["chat", "-m", "echo", "hi", ...more], { env: { TURNPIKE_KEY: key } });

    const refused = await chat();
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("whom a call is made for: send --user")]);
    const answered = { code: 0, out: "You said: hi\n", err: "" };
    expect(await chat("--user", "alice")).toEqual(answered);
    expect(await chat("--user", "bob", "--no-stream")).toEqual(answered);
    expect(await chat("--user", "carol", "--via-platform", "hers")).toEqual(answered);
    expect((await chat("--help")).out).toContain("--user <id>");

    // The log is written behind the answers.
    let named: (string | null)[] = [];
    while (named.length < 3) {
      const { data } = await una.json<{ data: { endUser: string | null }[] }>(["logs"]);
      named = data.map(({ endUser }) => endUser);
    }
    expect(named).toEqual(["carol", "bob", "alice"]);
  },
  SLOW_MS,
);
