import { afterAll, describe, expect, test } from "bun:test";
import { CliError } from "../../src/cli/cli-error.ts";
import { Session } from "../../src/cli/session.ts";
import { SettingsFiles } from "../../src/cli/settings-files.ts";
import { newFolder } from "../e2e/process.ts";

const folder = newFolder();
afterAll(() => folder.remove());

const HOUR_MS = 3_600_000;
const at = (hours: number) => new Date(hours * HOUR_MS).toISOString();

/** A token of a hundred hours, and what comes of it at some hour of its life. */
async function tokenAt(hours: number, refresh: () => Promise<{ token: string; expiresAt: string }>) {
  const files = new SettingsFiles({ HOME: folder.path });
  const session = new Session(files, { url: "https://gateway.example.com/" }, {});
  session.keep({ token: "old", expiresAt: at(100) }, 0);
  return { token: await session.token(refresh, hours * HOUR_MS), kept: files.credential("default") };
}

const renew = async () => ({ token: "new", expiresAt: at(200) });
const refuse = async () => {
  throw new CliError(3, "UNAUTHORIZED", "no");
};
const unreachable = async () => {
  throw new CliError(7, "NETWORK_ERROR", "no");
};

describe("a token", () => {
  test("is used as it is while a fifth of its life is left", async () => {
    expect((await tokenAt(80, refuse)).token).toBe("old");
  });

  test("is exchanged and kept when less is left, also when it has ended", async () => {
    for (const hours of [81, 120]) {
      const { token, kept } = await tokenAt(hours, renew);
      expect([token, kept?.token, kept?.expiresAt, kept?.issuedAt]).toEqual(["new", "new", at(200), at(hours)]);
    }
  });

  test("does until its end when it cannot be exchanged, and is worth an error from then on", async () => {
    expect((await tokenAt(99, unreachable)).token).toBe("old");
    expect(tokenAt(101, unreachable)).rejects.toMatchObject({ exit: 7 });
    expect(tokenAt(101, refuse)).rejects.toMatchObject({ exit: 3, message: "Your session has ended." });
  });
});
