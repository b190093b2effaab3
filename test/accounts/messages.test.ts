import { afterAll, describe, expect, test } from "bun:test";
import { startApp } from "../app.ts";

const app = await startApp();
afterAll(() => app.close());

let people = 0;
async function person() {
  const json = { email: `p${++people}@example.com`, password: "a good long one" };
  const { token, user } = (await (await app.call("/api/auth/signup", { json })).json()) as {
    token: string;
    user: { id: number };
  };
  const headers = { authorization: `Bearer ${token}` };
  const { data } = (await (await app.call("/api/gw/teams", { headers })).json()) as { data: { id: string }[] };
  const made = await app.call("/api/gw/api-keys", { headers, json: { name: "mine", team_id: data[0]?.id } });
  const key = (await made.json()) as { id: string; token: string };
  return { headers, user, key };
}

const messages = [{ role: "user", content: "hello" }];
const post = (headers: Record<string, string>, json: object) => app.call("/api/gw/messages", { headers, json });

describe("a chat on the platform's side", () => {
  test("runs under one of one's own keys, named by value, handle or id, streamed too", async () => {
    const { headers, key } = await person();
    const list = (await (await app.call("/api/api-keys", { headers })).json()) as { data: { token: string }[] };
    for (const apiKey of [key.token, key.id, list.data[0]?.token]) {
      const response = await post(headers, { model: "echo", messages, apiKey });
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).toContain("hello");
      expect(text).not.toContain(key.token);
    }
    const streamed = await post(headers, { model: "echo", messages, apiKey: key.id, stream: true });
    expect(await streamed.text()).toEndWith("data: [DONE]\n\n");
  });

  test("with an Idempotency-Key is answered again as it was and charged once, and is no other's", async () => {
    const { headers, key } = await person();
    const stranger = await person();
    const named = { "idempotency-key": "once" };
    const body = { model: "echo", messages, apiKey: key.id };
    const first = await post({ ...headers, ...named }, body);
    const answer = await first.json();
    const again = await post({ ...headers, ...named }, body);
    expect([again.headers.get("idempotent-replayed"), await again.json()]).toEqual(["true", answer]);
    const other = await post({ ...headers, ...named }, { ...body, temperature: 0 });
    expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([400, "VALIDATION_ERROR"]);
    const theirs = await post({ ...stranger.headers, ...named }, { ...body, apiKey: stranger.key.id });
    expect([theirs.status, theirs.headers.get("idempotent-replayed")]).toEqual([200, null]);
    await app.service.books.flush();
    const logged = await app.call("/api/gw/logs", { headers });
    expect((await logged.json()) as object).toMatchObject({ meta: { total: 1 } });
  });

  test("under somebody else's key is 404, however it is named", async () => {
    const [one, two] = [await person(), await person()];
    for (const apiKey of [two.key.token, two.key.id, app.first.demoKey ?? "", "sk-unknown", "nothing"]) {
      const response = await post(one.headers, { model: "echo", messages, apiKey });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: "NOT_FOUND" });
    }
  });

  test("answers in the platform's own error body", async () => {
    const { headers, key } = await person();
    const unknown = await post(headers, { model: "none", messages, apiKey: key.id });
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { error: "The model `none` does not exist. GET /v1/models lists those that do.", code: "NOT_FOUND" },
    ]);
    expect((await post(headers, { model: "echo", messages })).status).toBe(400);
    const failing = await post(headers, { model: "echo", messages, apiKey: key.id, echo_fault: { status: 500 } });
    expect([failing.status, ((await failing.json()) as { code: string }).code]).toEqual([502, "SERVER_ERROR"]);
  });

  test("tells the limits of the key that it runs under", async () => {
    const { headers, key } = await person();
    const json = { rpmLimit: 60, tpmLimit: 9_000 };
    await app.call(`/api/gw/api-keys/${key.id}`, { method: "PATCH", headers, json });
    const response = await app.call("/v1/chat/completions", { key: key.token, json: { model: "echo", messages } });
    expect(response.headers.get("x-gw-key-rpm-limit")).toBe("60");
    expect(response.headers.get("x-gw-key-tpm-limit")).toBe("9000");
  });

  test("ends with the key that it runs under", async () => {
    const { headers, key } = await person();
    expect((await post(headers, { model: "echo", messages, apiKey: key.id })).status).toBe(200);
    await app.call(`/api/gw/api-keys/${key.id}/disable`, { method: "POST", headers });
    expect((await post(headers, { model: "echo", messages, apiKey: key.id })).status).toBe(401);
  });
});
