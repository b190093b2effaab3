import { afterAll, expect, test } from "bun:test";
import { startSmtp } from "../services/smtp.ts";
import { ADMIN, PASSWORD, startPlace } from "./command-line.ts";

const smtp = await startSmtp();
const [place, mailing] = [await startPlace(), await startPlace({ TURNPIKE_SMTP_URL: smtp.url })];
afterAll(async () => {
  await Promise.all([place.close(), mailing.close()]);
  await smtp.stop();
});

const SLOW_MS = 60_000;
const NEXT = "another good long one";
const login = (email: string) => ["login", "--email", email, "--password-stdin"];

test(
  "without mail, an administrator helps out with a link",
  async () => {
    const [kim, root] = [place.person(), place.person()];
    await kim.signUp("kim@example.com");
    expect((await kim.run(["password", "forgot", "kim@example.com"])).err).toContain("ask an administrator");
    await root.run(login(ADMIN.email), { stdin: ADMIN.password });
    const link = (await root.run(["admin", "users", "reset-password", "kim@example.com", "--quiet"])).out.trim();
    const reset = () => kim.run(["password", "reset", link, "--password-stdin"], { stdin: `${NEXT}\n` });
    expect((await reset()).err).toContain("turnpike login");
    expect((await reset()).code).toBe(5);
    expect((await kim.run(["whoami"])).code).toBe(3);
    expect((await kim.run(login("kim@example.com"), { stdin: PASSWORD })).code).toBe(3);
    expect((await kim.run(login("kim@example.com"), { stdin: NEXT })).code).toBe(0);
    expect((await kim.run(["verify-email"])).code).toBe(1);
  },
  SLOW_MS,
);

test(
  "with mail, people help themselves",
  async () => {
    const lea = mailing.person();
    await lea.signUp("lea@example.com");
    const first = await smtp.mailTo("lea@example.com");
    const [, link = ""] = /(http\S+verify-email\S+)/.exec(first.text) ?? [];
    expect((await lea.run(["whoami", "--json"])).out).toContain('"emailVerified":false');
    expect((await lea.run(["verify-email", link])).code).toBe(0);
    expect((await lea.run(["whoami", "--json"])).out).toContain('"emailVerified":true');
    expect((await lea.run(["password", "forgot", "lea@example.com"])).err).toContain("a mail is on its way");
    const { token } = await smtp.mailTo("lea@example.com", 2);
    expect((await lea.run(["password", "reset", token, "--password-stdin"], { stdin: NEXT })).code).toBe(0);
    expect((await lea.run(login("lea@example.com"), { stdin: NEXT })).code).toBe(0);
    await lea.run(["teams", "create", "green"]);
    const invited = await lea.run(["teams", "invite", "green", "max@example.com"]);
    expect(invited.err).toContain("A mail with the link is on its way to max@example.com.");
    expect(`${invited.out}${invited.err}`).not.toContain("inv-");
    const max = mailing.person();
    const invitation = (await smtp.mailTo("max@example.com")).token;
    const joined = await max.run(["signup", "--invitation", invitation, "--password-stdin"], { stdin: PASSWORD });
    expect(joined.code).toBe(0);
    expect((await max.run(["teams", "list"])).out).toContain("\tgreen\t");
  },
  SLOW_MS,
);
