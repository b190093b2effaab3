import { afterAll, expect, test } from "bun:test";
import { postgresMissing, sharedPostgres } from "../services/postgres.ts";
import { startSmtp } from "../services/smtp.ts";
import { newFolder, startTurnpike } from "./process.ts";

const SLOW_MS = 120_000;
const smtp = await startSmtp();
const folders = [newFolder(), newFolder(), newFolder()] as const;
afterAll(async () => {
  await smtp.stop();
  for (const folder of folders) folder.remove();
});

const post = (url: string, json: object, headers = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(json),
  });
const PASSWORD = "a good long one";
const signUp = async (url: string, email: string): Promise<number> =>
  (await post(`${url}/api/auth/signup`, { email, password: PASSWORD })).status;
const countTo = (email: string) => smtp.received.filter(({ to }) => to.includes(email)).length;

test.skipIf(postgresMissing !== null)(
  "two processes over one database send each letter once",
  async () => {
    const env = {
      TURNPIKE_SMTP_URL: smtp.url,
      TURNPIKE_DATABASE_URL: (await (await sharedPostgres())?.createDatabase()) ?? "",
      TURNPIKE_SECRET: "a-secret-for-tests-0123456789abcdef",
    };
    const first = await startTurnpike(folders[0].path, env);
    const second = await startTurnpike(folders[1].path, env);
    const people = Array.from({ length: 12 }, (_, index) => `person${index}@example.com`);
    const made = await Promise.all(people.map((email, index) => signUp(index % 2 ? first.url : second.url, email)));
    expect(new Set(made)).toEqual(new Set([201]));
    for (const email of people) await smtp.mailTo(email);
    // What they have under way they bring to its end: whatever is sent, is sent by then.
    for (const one of [first, second]) one.kill("SIGTERM");
    expect(await Promise.all([first.exited, second.exited])).toEqual([0, 0]);
    expect(people.map(countTo)).toEqual(people.map(() => 1));
  },
  SLOW_MS,
);

test(
  "a letter that could not be sent outlives the process, and goes out when the mail server is back",
  async () => {
    const env = { TURNPIKE_SMTP_URL: smtp.url };
    await smtp.stop();
    const before = await startTurnpike(folders[2].path, env);
    expect(await signUp(before.url, "patient@example.com")).toBe(201);
    await before.waitFor(/"topic":"mail\.verify_email".*it will be tried again/);
    expect(before.output()).not.toMatch(/vfy-\w/);
    before.kill("SIGTERM");
    expect(await before.exited).toBe(0);
    await smtp.restart();
    const after = await startTurnpike(folders[2].path, env);
    const { token } = await smtp.mailTo("patient@example.com");
    const entered = await post(`${after.url}/api/auth/token`, { email: "patient@example.com", password: PASSWORD });
    const session = (await entered.json()) as { token: string };
    const bearer = { authorization: `Bearer ${session.token}` };
    const verified = await post(`${after.url}/api/auth/verify-email`, { token }, bearer);
    expect(verified.status).toBe(200);
    after.kill("SIGTERM");
    expect(await after.exited).toBe(0);
    expect(countTo("patient@example.com")).toBe(1);
  },
  SLOW_MS,
);
