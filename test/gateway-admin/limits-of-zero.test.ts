import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { errorFormat } from "./face.ts";

describe("a limit of 0", async () => {
  const app = await startApp();
  afterAll(() => app.close());
  const { post, get } = errorFormat(app, MASTER_KEY);
  const chat = (key: string) =>
    app.call("/v1/chat/completions", { key, json: { model: "echo", messages: [{ role: "user", content: "hi" }] } });

  test.each([
    [{ rpm_limit: 0 }],
    [{ tpm_limit: 0 }],
    [{ max_parallel_requests: 0 }],
    [{ model_rpm_limit: { echo: 0 } }],
    [{ model_tpm_limit: { echo: 0 } }],
  ])("lets no call of a key pass: %j", async (limits) => {
    const { key, token } = (await post("/key/generate", limits)).body;
    expect((await get(`/key/info?key=${token}`)).body.info).toMatchObject(limits);
    const response = await chat(key);
    expect([response.status, response.headers.get("x-should-retry"), response.headers.get("retry-after")]).toEqual([
      429,
      "false",
      null,
    ]);
    expect(((await response.json()) as { error: { message: string } }).error.message).toContain(
      "Every call is rejected",
    );
    const [name = "", value] = Object.entries(limits)[0] ?? [];
    await post("/key/update", { key: token, [name]: typeof value === "number" ? 1000 : { echo: 1000 } });
    expect((await chat(key)).status).toBe(200);
  });

  test("of a team holds for its keys", async () => {
    const { team_id } = (await post("/team/new", { rpm_limit: 0 })).body;
    const { key } = (await post("/key/generate", { team_id })).body;
    expect((await chat(key)).status).toBe(429);
  });
});
