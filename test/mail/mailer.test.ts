import { afterAll, describe, expect, test } from "bun:test";
import { invitationLetter } from "../../src/mail/letters.ts";
import { Mailer, type MailServer } from "../../src/mail/mailer.ts";
import { startSmtp } from "../services/smtp.ts";
import { rejection } from "../storage/rejection.ts";

const LOGIN = { user: "turnpike", password: "mail-canary-password" };
const smtp = await startSmtp(LOGIN);
afterAll(() => smtp.stop());
const { port } = new URL(smtp.url);
const server: MailServer = {
  host: "127.0.0.1",
  port: Number(port),
  tls: "never",
  username: LOGIN.user,
  password: LOGIN.password,
  from: "Turnpike <turnpike@example.com>",
};
const letter = invitationLetter({
  to: "guest@example.com",
  publicUrl: "https://models.example.com",
  token: "inv-0123456789abcdef",
  expiresAt: Date.UTC(2030, 0, 2, 3, 4),
  invitedBy: 'Mallory\r\nBcc: victim@example.com <b>"bold"</b>',
  organizationName: "Größe & Söhne\r\nX-Evil: 1",
  teamName: "<script>alert(1)</script>",
});

describe("a letter over SMTP", () => {
  test("arrives with its link, as text and as HTML, and says how to do without a browser", async () => {
    await new Mailer(() => server).send(letter);
    const mail = await smtp.mailTo("guest@example.com");
    expect(mail.from).toBe("turnpike@example.com");
    expect(mail.token).toBe("inv-0123456789abcdef");
    expect(mail.text).toContain("https://models.example.com/ui/invitation?token=inv-0123456789abcdef");
    expect(mail.text).toContain("turnpike signup --url https://models.example.com --email guest@example.com");
    expect(mail.text).toContain('of "Größe & Söhne X-Evil: 1"');
    expect(mail.text).toContain("until 2030-01-02 03:04 UTC");
    expect(mail.raw).toContain("text/html");
  });

  test("has no header and no markup that a name brought along", async () => {
    const [mail] = smtp.received;
    expect(mail?.to).toEqual(["guest@example.com"]);
    const head = mail?.raw.slice(0, mail.raw.indexOf("\r\n\r\n")) ?? "";
    expect(head).not.toMatch(/^(Bcc|X-Evil):/im);
    expect(letter.html).not.toContain("<script>");
    expect(letter.html).not.toContain("<b>");
    expect(letter.html).toContain("&lt;script&gt;");
  });

  test("goes to the one address, whatever is written into it", async () => {
    const odd = { ...letter, to: "a@example.com, b@example.com" };
    await rejection(new Mailer(() => server).send(odd)).catch(() => undefined);
    for (const { to } of smtp.received) {
      expect(to).toHaveLength(1);
      expect(to).not.toContain("b@example.com");
    }
  });

  test("is refused without words about the password", async () => {
    const thrown = await rejection(new Mailer(() => ({ ...server, password: "another-canary" })).send(letter));
    expect(String(thrown)).toMatch(/Invalid login|wrong user/i);
    expect(JSON.stringify(thrown, Object.getOwnPropertyNames(thrown))).not.toContain("canary");
  });

  test("is not sent in the clear where TLS is wanted", async () => {
    const before = smtp.received.length;
    await rejection(new Mailer(() => ({ ...server, tls: "starttls" })).send(letter));
    expect(smtp.received).toHaveLength(before);
  });

  test("follows the configuration as it is now", async () => {
    let now: MailServer | null = null;
    const mailer = new Mailer(() => now);
    expect(mailer.isConfigured).toBe(false);
    expect(await rejection(mailer.send(letter))).toBeInstanceOf(Error);
    now = server;
    await mailer.send({ ...letter, to: "second@example.com" });
    expect((await smtp.mailTo("second@example.com")).to).toEqual(["second@example.com"]);
  });
});
