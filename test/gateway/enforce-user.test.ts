import { afterAll, describe, expect, test } from "bun:test";
import { type CallInit, startApp } from "../app.ts";

const app = await startApp("general_settings:\n  enforce_user_param: true\n");
const free = await startApp();
afterAll(async () => {
  await app.close();
  await free.close();
});

const key = () => app.first.demoKey ?? "";
const chat = (more: object = {}, headers: Record<string, string> = {}): Promise<Response> =>
  app.call("/v1/chat/completions", {
    key: key(),
    headers,
    json: { model: "echo", messages: [{ role: "user", content: "hello" }], ...more },
  });

describe("`enforce_user_param`", () => {
  test("refuses calls that do not say whom they are made for", async () => {
    const refused = await chat();
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { param: "user", message: expect.stringContaining("send `user`") },
    });
    expect((await chat({ user: "" })).status).toBe(400);
    expect((await chat({ stream: true })).status).toBe(400);
  });

  test.each([
    ["`user`", { user: "alice" }, {}],
    ["the header", {}, { "x-gw-end-user-id": "alice" }],
    ["the metadata", { metadata: { user_id: "alice" } }, {}],
  ] as const)("is content with %s", async (_, more, headers) => {
    expect((await chat(more, headers)).status).toBe(200);
  });

  test("holds for other calls of models too, and for nothing else", async () => {
    const embed = (more: object): CallInit => ({
      key: key(),
      json: { model: "echo-embedding", input: "hello", ...more },
    });
    expect((await app.call("/v1/embeddings", embed({}))).status).toBe(400);
    expect((await app.call("/v1/embeddings", embed({ user: "alice" }))).status).toBe(200);
    expect((await app.call("/v1/models", { key: key() })).status).toBe(200);
  });

  test("does not ask who is signed in", async () => {
    const { adminEmail: email, generatedPassword: password } = app.first;
    const login = await app.call("/api/auth/token", { json: { email, password } });
    const { token } = (await login.json()) as { token: string };
    const json = { apiKey: key(), model: "echo", messages: [{ role: "user", content: "hello" }] };
    expect((await app.call("/api/gw/messages", { key: token, json })).status).toBe(200);
  });

  test("is off unless it is asked for", async () => {
    const json = { model: "echo", messages: [{ role: "user", content: "hello" }] };
    expect((await free.call("/v1/chat/completions", { key: free.first.demoKey ?? "", json })).status).toBe(200);
  });
});
