import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";

const SECRET = "canary-of-a-credential";
const CONFIG = `
credential_list:
  - credential_name: of-file
    credential_values: { api_key: ${SECRET}-file, api_base: "http://127.0.0.1:1/v1" }
`;
const seenKeys: string[] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    seenKeys.push(request.headers.get("authorization") ?? "");
    const message = { role: "assistant", content: "hi" };
    return Response.json({
      id: "1",
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: "stop" }],
    });
  },
});
afterAll(() => upstream.stop(true));
const api_base = `http://127.0.0.1:${upstream.port}/v1`;

const send = async (app: TestApp, method: string, path: string, json?: unknown) => {
  const response = await app.call(path, { method, key: MASTER_KEY, json });
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of many shapes.
  return { status: response.status, body: (await response.json()) as any };
};
const chat = (app: TestApp, model: string) =>
  send(app, "POST", "/v1/chat/completions", { model, messages: [{ role: "user", content: "hi" }] });
const user = (model_name: string, litellm_credential_name: string) => ({
  model_name,
  litellm_params: { model: "openai/gpt-4o", litellm_credential_name },
});

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`a stored credential on ${kind}`, async () => {
    if (missing) return;
    const app = await startApp(CONFIG, await migratedUrl(kind));
    afterAll(() => app.close());

    test("lends its values to the models that name it, and new ones from the next call on", async () => {
      const made = await send(app, "POST", "/credentials", {
        credential_name: "shared",
        credential_values: { api_key: `${SECRET}-1`, api_base, api_version: "2024-10-21" },
        credential_info: { custom_llm_provider: "OpenAI", description: "for tests", owner: `${SECRET}-2` },
      });
      expect(made.body).toEqual({
        credential_name: "shared",
        credential_values: { api_key: "****", api_base: "****", api_version: "2024-10-21" },
        credential_info: { custom_llm_provider: "OpenAI", description: "for tests", owner: "****" },
        source: "database",
        used_by: [],
        success: true,
      });
      expect((await send(app, "POST", "/model/new", user("lent", "shared"))).status).toBe(200);
      expect((await chat(app, "lent")).status).toBe(200);
      expect(seenKeys.at(-1)).toBe(`Bearer ${SECRET}-1`);
      const changed = await send(app, "PATCH", "/credentials/shared", {
        credential_values: { api_key: `${SECRET}-3`, api_version: null, api_base: "****" },
      });
      expect(changed.body.credential_values).toEqual({ api_key: "****", api_base: "****" });
      expect((await chat(app, "lent")).status).toBe(200);
      expect(seenKeys.at(-1)).toBe(`Bearer ${SECRET}-3`);
    });

    test("is listed beside those of the file, masked, and found by name", async () => {
      const { body } = await send(app, "GET", "/credentials");
      expect(body.credentials.map((one: { credential_name: string }) => one.credential_name)).toEqual([
        "of-file",
        "shared",
      ]);
      expect((await send(app, "GET", "/credentials/by_name/shared")).body.used_by).toEqual(["lent"]);
      expect((await send(app, "GET", "/credentials/by_name/none")).status).toBe(404);
      const rows = JSON.stringify([
        await app.storage.accounts.credentials.list(),
        (await app.storage.accounts.audit.list({}, { page: 1, pageSize: 100 })).rows,
      ]);
      for (const text of [JSON.stringify(body), rows, app.logged.join()]) expect(text).not.toContain(SECRET);
      expect(rows).toContain("credential.create");
    });

    test("that a model stands on is not removed; one of the file is not changed", async () => {
      const refused = await send(app, "DELETE", "/credentials/shared");
      expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining("`lent`")]);
      expect((await chat(app, "lent")).status).toBe(200);
      for (const [method, json] of [
        ["DELETE", undefined],
        ["PATCH", { credential_values: { api_key: "x" } }],
      ] as const) {
        const fixed = await send(app, method, "/credentials/of-file", json);
        expect([fixed.status, fixed.body.error.message]).toEqual([409, expect.stringContaining("configuration file")]);
      }
      expect((await send(app, "POST", "/model/new", user("file-user", "of-file"))).status).toBe(200);
      expect((await send(app, "GET", "/credentials/by_name/of-file")).body.used_by).toEqual(["file-user"]);
    });

    test("with faults, or that would break a model, is refused", async () => {
      const bad = await send(app, "POST", "/credentials", {
        credential_name: "bad",
        credential_values: { api_key: { a: 1 }, rpm: "many", tpm: "more" },
      });
      expect(bad.body.detail.map(({ loc }: { loc: string[] }) => loc.join("."))).toEqual([
        "body.credential_values.api_key",
        "body.credential_values.rpm",
        "body.credential_values.tpm",
      ]);
      const breaking = await send(app, "PATCH", "/credentials/shared", { credential_values: { api_base: "nowhere" } });
      expect([breaking.status, breaking.body.detail[0].msg]).toEqual([422, expect.stringContaining("`lent`")]);
      expect((await chat(app, "lent")).status).toBe(200);
      const twice = { credential_name: "shared", credential_values: {} };
      expect((await send(app, "POST", "/credentials", twice)).status).toBe(409);
      expect((await send(app, "POST", "/credentials", { ...twice, credential_name: "of-file" })).status).toBe(409);
    });

    test("says of each part of a body what became of it: nothing is passed over", async () => {
      const credential_name = "whole";
      const values = { api_key: SECRET };
      const refusals: readonly (readonly [method: string, body: object, loc: string])[] = [
        ["POST", { credential_name, credential_values: values, model_id: "m" }, "model_id"],
        ["POST", { credential_name, credential_values: { api_key: "****" } }, "credential_values.api_key"],
        ["POST", { credential_name, credential_values: { model: "openai/x" } }, "credential_values.model"],
        [
          "POST",
          { credential_name, credential_values: values, credential_info: { custom_llm_provider: 5 } },
          "credential_info.custom_llm_provider",
        ],
        [
          "POST",
          { credential_name, credential_values: values, credential_info: { owner: "****" } },
          "credential_info.owner",
        ],
        ["POST", { credential_name: "..", credential_values: values }, "credential_name"],
        ["POST", { credential_name: ".", credential_values: values }, "credential_name"],
        ["POST", { credential_name: "a/b", credential_values: values }, "credential_name"],
        ["PATCH", { api_key: SECRET }, "api_key"],
        ["PATCH", { credential_values: { api_base: "****" } }, "credential_values.api_base"],
        [
          "PATCH",
          { credential_values: { litellm_credential_name: "shared" } },
          "credential_values.litellm_credential_name",
        ],
      ];
      const kept = {
        credential_name,
        credential_values: { ...values, organization: "" },
        credential_info: { owner: "me" },
      };
      for (const wanted of ["POST", "PATCH"]) {
        for (const [method, body, loc] of refusals.filter(([one]) => one === wanted)) {
          const answer = await send(app, method, `/credentials${method === "PATCH" ? "/whole" : ""}`, body);
          expect([answer.status, answer.body.detail?.[0].loc.join(".")]).toEqual([422, `body.${loc}`]);
        }
        if (wanted === "POST") expect((await send(app, "POST", "/credentials", kept)).status).toBe(200);
      }
      const renamed = await send(app, "PATCH", "/credentials/whole", {
        credential_name: "other",
        credential_values: {},
      });
      expect([renamed.status, renamed.body.error.param]).toEqual([400, "credential_name"]);
      const { body: shown } = await send(app, "GET", "/credentials/by_name/whole");
      expect(shown.credential_values).toEqual({ api_key: "****", organization: "" });
      const { source: _, used_by: __, ...same } = shown;
      expect((await send(app, "PATCH", "/credentials/whole", same)).body).toEqual(shown);
      expect((await send(app, "DELETE", "/credentials/whole")).status).toBe(200);
    });

    test("is not made of masks, and neither is a model", async () => {
      const litellm_params = { model: "openai/gpt-4o", api_key: "****", extra_headers: { "x-a": "****" } };
      const made = await send(app, "POST", "/model/new", { model_name: "masked", litellm_params });
      const told = made.body.detail?.map(({ loc }: { loc: string[] }) => loc.join("."));
      expect([made.status, told]).toEqual([422, ["body.litellm_params.api_key", "body.litellm_params.extra_headers"]]);
      const json = { name: "masked", provider: "openai", inferenceModelId: "gpt-4o", apiKey: "****" };
      const platform = await send(app, "POST", "/api/admin/models", json);
      expect([platform.status, platform.body.error]).toEqual([400, expect.stringMatching(/^apiKey: holds a mask/)]);
    });

    test("without a value in a field is not shown as if it had one", async () => {
      const json = {
        credential_name: "bare",
        credential_values: { api_key: null, api_base },
        credential_info: { description: null },
      };
      const made = await send(app, "POST", "/credentials", json);
      expect(made.body).toMatchObject({ credential_values: { api_base: "****" }, credential_info: {} });
      expect(made.body.credential_values).not.toHaveProperty("api_key");
      expect((await send(app, "DELETE", "/credentials/bare")).status).toBe(200);
    });

    test("with any other name is found and removed by it", async () => {
      for (const name of [
        " ",
        "%2F",
        "a?b#c",
        "...",
        "by_name",
        "__proto__",
        "ä".repeat(128),
        "\u{1f511}".repeat(64),
      ]) {
        const json = { credential_name: name, credential_values: { api_key: SECRET } };
        expect((await send(app, "POST", "/credentials", json)).body.credential_name).toBe(name);
        const path = encodeURIComponent(name);
        expect((await send(app, "GET", `/credentials/by_name/${path}`)).body.credential_name).toBe(name);
        expect((await send(app, "DELETE", `/credentials/${path}`)).status).toBe(200);
      }
    });

    test("is a provider's, on the platform's side", async () => {
      const path = "/api/admin/providers/groq/credentials";
      const made = await send(app, "POST", path, { name: "groq-1", values: { api_key: `${SECRET}-4` } });
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject({ name: "groq-1", provider: "groq", values: { api_key: "****" }, usedBy: [] });
      const listed = await send(app, "GET", "/api/admin/providers?configured=true");
      expect(listed.body.data).toContainEqual(
        expect.objectContaining({ id: "groq", configured: true, modelsCount: 0 }),
      );
      expect(listed.body.data.map(({ id }: { id: string }) => id)).toContainValues(["groq", "openai", "echo"]);
      expect((await send(app, "GET", "/api/admin/providers/groq")).body.credentials).toHaveLength(1);
      expect((await send(app, "GET", "/api/admin/providers/nobody")).status).toBe(404);
      expect((await send(app, "PUT", `${path}/groq-1`, { values: { api_base } })).body.values).toEqual({
        api_key: "****",
        api_base: "****",
      });
      expect((await send(app, "DELETE", "/api/admin/providers/openai/credentials/groq-1")).status).toBe(404);
      expect((await send(app, "DELETE", `${path}/groq-1`)).body).toEqual({ success: true });
      expect((await send(app, "GET", "/api/admin/providers/groq")).body.configured).toBe(false);
    });
  });
}
