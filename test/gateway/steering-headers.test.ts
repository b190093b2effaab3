import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { Moody, status } from "../upstreams/moody.ts";

const failing = new Moody("failing");
failing.mood = status(500);
const well = new Moody("well");
const models = `
model_list:
  - model_name: failing
    litellm_params: { model: openai/gpt-4o-mini, api_key: k, api_base: "${failing.address}" }
  - model_name: well
    litellm_params: { model: openai/gpt-4o-mini, api_key: k, api_base: "${well.address}?tenant=7" }
`;
const [plain, moved] = [
  await startApp(models),
  await startApp(`${models}\ngeneral_settings: { header_prefix: litellm }`),
];
afterAll(async () => {
  await Promise.all([plain.close(), moved.close()]);
  await Promise.all([failing.stop(), well.stop()]);
});

const chat = (app: TestApp, headers: Record<string, string>, fields: object = {}) =>
  app.call("/v1/chat/completions", {
    key: app.first.demoKey ?? "",
    headers,
    json: { model: "well", messages: [{ role: "user", content: "hi" }], ...fields },
  });

/** The row of one call, found by our own id of it. */
async function logged(app: TestApp, headers: Record<string, string>, fields: object = {}) {
  const response = await chat(app, headers, fields);
  expect(response.status).toBe(200);
  await app.service.books.flush();
  const rows = (await (await app.call("/spend/logs", { key: MASTER_KEY })).json()) as {
    metadata: Record<string, unknown>;
    request_tags: string[];
    end_user: string | null;
  }[];
  return rows[0];
}

describe("headers that steer a call", () => {
  test("are read under the operator's own prefix as well, where there is one", async () => {
    const headers = { "x-litellm-tags": "a,b", "x-litellm-customer-id": "ann" };
    expect(await logged(moved, headers)).toMatchObject({ request_tags: ["a", "b"], end_user: "ann" });
    expect(await logged(plain, headers)).toMatchObject({ request_tags: [], end_user: null });
  });

  test("say how often to try again under both names", async () => {
    for (const name of ["x-gw-num-retries", "x-litellm-num-retries"]) {
      const before = failing.calls;
      expect((await chat(moved, { [name]: "0" }, { model: "failing" })).status).toBe(502);
      expect(failing.calls - before).toBe(1);
    }
  });

  test("count under our name where both were sent", async () => {
    const both = { "x-gw-tags": "ours", "x-litellm-tags": "theirs" };
    expect(await logged(moved, both)).toMatchObject({ request_tags: ["ours"] });
  });

  test("never carry a key that `key_headers` does not name", async () => {
    const headers = { "x-litellm-api-key": MASTER_KEY };
    expect((await moved.call("/v1/models", { headers })).status).toBe(401);
  });
});

describe("metadata in the log", () => {
  test("has what a header adds, beside that of the body, which wins", async () => {
    const headers = { "x-gw-spend-logs-metadata": '{"job":"nightly","step":1}' };
    expect((await logged(plain, headers))?.metadata).toMatchObject({
      spend_logs_metadata: { job: "nightly", step: 1 },
    });
    const metadata = { free: true, spend_logs_metadata: { step: 2 } };
    expect((await logged(plain, headers, { metadata }))?.metadata).toMatchObject({
      free: true,
      spend_logs_metadata: { job: "nightly", step: 2 },
    });
  });

  test.each(["no json", "[1]", "5", '"text"'])("is nothing for a header of %s", async (header) => {
    const row = await logged(plain, { "x-gw-spend-logs-metadata": header });
    expect(row?.metadata.spend_logs_metadata).toBeUndefined();
  });

  test("has no names by which a log speaks of keys: they are not the caller's to write", async () => {
    const metadata = { user_api_key_alias: "another", user_api_key_user_id: "1", own: "kept" };
    const row = await logged(plain, {}, { metadata });
    expect(row?.metadata).toMatchObject({ own: "kept" });
    expect(Object.keys(row?.metadata ?? {}).filter((name) => name.startsWith("user_api_key"))).toEqual([]);
  });
});

test("the upstream's address is told without its query", async () => {
  expect((await chat(plain, {})).headers.get("x-gw-model-api-base")).toBe(well.address);
});
