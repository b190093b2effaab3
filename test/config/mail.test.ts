import { describe, expect, test } from "bun:test";
import { faultsOf, loadText } from "./load-text.ts";

const mailOf = (text: string, env: Record<string, string> = {}) => {
  const result = loadText(text, env);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  expect(result.warnings).toEqual([]);
  return result.config.mail;
};
const general = (lines: string) => `general_settings:\n${lines}`;

describe("mail settings", () => {
  test("without them no mail is sent", () => {
    expect(mailOf("")).toBeNull();
  });

  test("in parts", () => {
    const lines = "  smtp: {host: mail.example.com, username: u, password: p, from: T <t@example.com>}\n";
    expect(mailOf(general(lines))).toEqual({
      host: "mail.example.com",
      port: 587,
      tls: "starttls",
      username: "u",
      password: "p",
      from: "T <t@example.com>",
    });
  });

  test.each([
    ["secure: true", { port: 465, tls: "always" }],
    ["port: 465", { port: 465, tls: "always" }],
    ["port: 25", { port: 25, tls: "offered" }],
    ["starttls: true", { port: 587, tls: "starttls" }],
    ["starttls: false", { port: 587, tls: "never" }],
    ["starttls: false, username: u, password: p", { tls: "never" }],
  ])("%s", (given, wanted) => {
    expect(mailOf(general(`  smtp: {host: mail.example.com, ${given}}\n`))).toMatchObject(wanted);
  });

  test("the sender is named after the address that people know, unless told", () => {
    const lines = "  public_url: https://models.example.com/x/\n  smtp: {host: 127.0.0.1}\n";
    expect(mailOf(general(lines))?.from).toBe("Turnpike <no-reply@models.example.com>");
  });

  test("in one piece, from the environment, which wins", () => {
    const env = { TURNPIKE_SMTP_URL: "smtps://u%40x:p%2Fw@mail.example.com?from=a@example.com" };
    expect(mailOf(general("  smtp: {host: other.example.com}\n"), env)).toEqual({
      host: "mail.example.com",
      port: 465,
      tls: "always",
      username: "u@x",
      password: "p/w",
      from: "a@example.com",
    });
    expect(mailOf("", { TURNPIKE_SMTP_URL: "smtp://u:p@127.0.0.1:2525" })).toMatchObject({
      host: "127.0.0.1",
      port: 2525,
      tls: "offered",
    });
  });

  test.each([
    ["  smtp: {port: 25}\n", "`host` is missing"],
    ["  smtp: {host: h, port: 0}\n", "port"],
    ["  smtp: {host: h, username: u}\n", "needs a `password`"],
    ['  smtp: {host: h, from: "a@b\\r\\nBcc: x@y"}\n', "the sender is an address"],
    ["  smtp: {host: h, form: a@b}\n", "form"],
    ["  smtp_url: http://mail.example.com\n", "smtp:// or smtps://"],
    ["  smtp_url: smtp://u:50%@mail.example.com\n", "`%25`"],
    ["  require_verified_email: true\n", "needs `smtp`"],
  ])("%j is a fault", (lines, words) => {
    const faults = faultsOf(loadText(general(lines)));
    expect(faults.map(({ path, message }) => `${path} ${message}`).join("\n")).toContain(words);
  });
});
