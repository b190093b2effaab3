import { expect, test } from "bun:test";
import { createLogger } from "./log.ts";

const CANARY = "c4n4ryc4n4ryc4n4ryc4n4ry";
const TOKEN = `eyJhbGciOiJIUzI1NiJ9.${CANARY}.${CANARY}`;

test.each([
  ["a key of ours", { note: `key sk-${CANARY}` }],
  ["a bearer value", { header: `Bearer ${CANARY}` }],
  ["a session token", { token: TOKEN, also: `saw ${TOKEN}` }],
  ["a password in an address", { url: `postgres://user:${CANARY}@host/db` }],
  [
    "a field named like a secret",
    { password: CANARY, api_key: CANARY, "x-api-key": CANARY, client_secret: `a"${CANARY}` },
  ],
  ["a nested field", { headers: { authorization: CANARY, cookie: CANARY } }],
  ["an error's message", { err: new Error(`refused sk-${CANARY}`) }],
])("%s never reaches the log", (_, fields) => {
  const lines: string[] = [];
  createLogger("info", (line) => lines.push(line)).info(fields, `said sk-${CANARY}`);
  expect(lines).toHaveLength(1);
  expect(lines.join("")).not.toContain(CANARY);
  expect(() => JSON.parse(lines[0] ?? "")).not.toThrow();
});

test("what is no secret stays readable", () => {
  const lines: string[] = [];
  createLogger("info", (line) => lines.push(line)).info({ tokens: 12, path: "/v1/chat/completions" }, "answered");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "info",
    tokens: 12,
    path: "/v1/chat/completions",
    msg: "answered",
  });
});
