import { afterAll, describe, expect, test } from "bun:test";
import { newFolder, startTurnpike } from "./process.ts";

const folder = newFolder();
const turnpike = await startTurnpike(folder.path);
afterAll(async () => {
  turnpike.kill("SIGTERM");
  await turnpike.exited;
  folder.remove();
});

describe.each(["a b", "a/b", "[::", "x:99999", "%00"])("a Host header of %s", (host) => {
  test.each([
    ["GET", "/device?user_code=ABC", 200],
    ["POST", "/fallback/login", 403],
    ["POST", "/api/auth/device/code", 400],
    ["GET", "/api/auth/oidc/callback?code=1", 404],
    // What stands behind a name that the server does not have must not become the path.
    ["GET", "/none/v1/models/echo", 404],
    ["GET", "/none?at=http://none/v1/models/echo", 404],
  ])("is no fault of the server: %s %s", async (method, path, status) => {
    const form = { "content-type": "application/x-www-form-urlencoded", origin: "http://elsewhere.example" };
    const answer = await fetch(turnpike.url + path, {
      method,
      headers: { host, ...(method === "POST" ? form : {}) },
      ...(method === "POST" ? { body: "email=a%40example.com&password=x" } : {}),
    });
    expect(answer.status).toBe(status);
    await answer.text();
  });
});
