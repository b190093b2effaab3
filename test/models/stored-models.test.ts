import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { fakeOpenAi } from "../upstreams/openai.ts";
import { restrictedKey } from "./restricted-key.ts";

const answer = fakeOpenAi({ reply: ({ model }) => ({ text: `I am ${model}` }) });
/** What came behind the paths of calls. */
const queries: string[] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    queries.push(new URL(request.url).search);
    return answer(request);
  },
});
afterAll(() => upstream.stop(true));
const api_base = `http://127.0.0.1:${upstream.port}/v1`;
const SECRET = "canary-of-a-stored-model-1";

const CONFIG = `
model_list:
  - model_name: from-file
    litellm_params: { model: openai/gpt-4o, api_key: k }
    model_info: { id: file-1 }
`;

const send = async (app: TestApp, path: string, json: unknown, method = "POST", key = MASTER_KEY) => {
  const response = await app.call(path, { method, key, json });
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of many shapes.
  return { status: response.status, body: (await response.json()) as any };
};
const chat = async (app: TestApp, model: string, key = MASTER_KEY) => {
  const json = { model, messages: [{ role: "user", content: "who?" }] };
  const { status, body } = await send(app, "/v1/chat/completions", json, "POST", key);
  return status === 200 ? body.choices[0].message.content : status;
};
const info = async (app: TestApp, id: string) =>
  (await send(app, `/model/info?gw_model_id=${id}`, undefined, "GET")).body.data?.[0];
const named = (model_name: string, params: object = {}, model_info: object = {}) => ({
  model_name,
  litellm_params: { model: "openai/gpt-4o-mini", api_key: SECRET, api_base, ...params },
  model_info,
});

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`a stored model on ${kind}`, async () => {
    if (missing) return;
    const url = await migratedUrl(kind);
    const app = await startApp(CONFIG, url);
    afterAll(() => app.close());

    test("is named by one id, and nothing beside its three parts is passed over", async () => {
      const [one, two] = [
        (await send(app, "/model/new", named("first-of-two"))).body.model_id,
        (await send(app, "/model/new", named("second-of-two"))).body.model_id,
      ];
      for (const [path, json, method] of [
        ["/model/update", { model_id: one, model_info: { id: two }, litellm_params: { rpm: 1 } }, "POST"],
        [`/model/${one}/update`, { model_info: { id: two } }, "PATCH"],
        ["/model/delete", { id: one, model_id: two }, "POST"],
        ["/model/update", { id: one, model_id: two, litellm_params: { rpm: 1 } }, "POST"],
        ["/model/block", { id: one, model_id: two }, "POST"],
      ] as const) {
        expect([path, (await send(app, path, json, method)).status]).toEqual([path, 400]);
      }
      for (const path of ["/model/new", "/model/update"]) {
        const { status, body } = await send(app, path, { ...named("odd"), team_id: "t" });
        expect([path, status, body.detail?.[0]?.loc]).toEqual([path, 422, ["body", "team_id"]]);
      }
      const same = { model_id: one, model_name: null, model_info: { id: one, tier: "free" }, litellm_params: null };
      expect((await send(app, "/model/update", same)).body).toMatchObject({
        model_name: "first-of-two",
        model_info: { id: one, tier: "free" },
      });
      for (const id of [one, two]) expect((await send(app, "/model/delete", { id, model_id: id })).status).toBe(200);
    });

    test("rests after failures for as long as it says itself, whichever way it was added", async () => {
      const nowhere = { api_base: "http://127.0.0.1:9/v1", cooldown_time: 2_000 };
      const ofAdmin = { provider: "openai", inferenceModelId: "gpt-4o-mini", name: "restless", apiKey: "k" };
      const ids = [
        (await send(app, "/model/new", named("restless", nowhere))).body.model_id as string,
        (await send(app, "/api/admin/models", { ...ofAdmin, params: nowhere })).body.id as string,
      ];
      for (const id of ids) {
        expect((await info(app, id)).litellm_params.cooldown_time).toBe(2_000);
        for (let call = 0; call < 5; call++) await chat(app, id);
      }
      const { body } = await send(app, "/api/admin/deployments?group=restless", undefined, "GET");
      const rests = (body.data as { id: string; restsUntil: string | null }[]).map(
        ({ id, restsUntil }) => [id, Date.parse(restsUntil ?? "") > Date.now() + 1_900_000] as const,
      );
      expect(new Map(rests)).toEqual(new Map(ids.map((id) => [id, true])));
      expect((await send(app, "/model/new", named("no", { cooldown_time: "long" }))).status).toBe(422);
    });

    test("can be called at once, by its group and by its id, and is shown as stored", async () => {
      const made = await send(
        app,
        "/model/new",
        named("fresh", { rpm: 7, input_cost_per_token: "0.0000015", output_cost_per_token: "0.000002" }),
      );
      expect(made.status).toBe(200);
      const id = made.body.model_id as string;
      expect(made.body).toMatchObject({
        model_name: "fresh",
        litellm_params: { model: "openai/gpt-4o-mini", api_base, rpm: 7 },
        model_info: { id, db_model: true, input_cost_per_token: 0.0000015 },
        blocked: false,
        warnings: [],
      });
      expect(await chat(app, "fresh")).toBe("I am gpt-4o-mini");
      expect(await chat(app, id)).toBe("I am gpt-4o-mini");
      expect(await info(app, id)).toMatchObject({ model_name: "fresh", model_info: { db_model: true } });
      expect((await info(app, "file-1")).model_info.db_model).toBe(false);
    });

    test("keeps an address whose secrets are hidden when it is sent back as it is shown", async () => {
      const shown = `http://****@127.0.0.1:${upstream.port}/v1?key=****`;
      const address = shown.replace("****", "me:canary-1").replace("****", "canary-2");
      const { body } = await send(app, "/model/new", named("address", { api_base: address }, { id: "address-1" }));
      expect(body.litellm_params.api_base).toBe(shown);
      const change = (sent: string) =>
        send(app, "/model/address-1/update", { litellm_params: { api_base: sent, rpm: 5 } }, "PATCH");
      expect((await change(shown)).status).toBe(200);
      const other = await change(shown.replace("/v1", "/v2"));
      expect([other.status, JSON.stringify(other.body)]).toEqual([422, expect.stringContaining("holds a mask")]);
      queries.length = 0;
      expect(await chat(app, "address")).toBe("I am gpt-4o-mini");
      expect(queries).toEqual(["?key=canary-2"]);
    });

    test("is changed in parts: what is left out stays, null takes away, a mask leaves the secret", async () => {
      const { body } = await send(
        app,
        "/model/new",
        named("part", { rpm: 5, tpm: 9000 }, { id: "part-1", note: "old" }),
      );
      expect(body.model_id).toBe("part-1");
      const patched = await send(
        app,
        "/model/part-1/update",
        { litellm_params: { rpm: null, api_key: "****", model: "openai/gpt-4o" }, model_info: { note: "new" } },
        "PATCH",
      );
      expect(patched.status).toBe(200);
      expect(patched.body.litellm_params).toMatchObject({ model: "openai/gpt-4o", tpm: 9000 });
      expect(patched.body.litellm_params).not.toContainKey("rpm");
      expect(patched.body.model_info.note).toBe("new");
      expect(await chat(app, "part")).toBe("I am gpt-4o");
      const renamed = await send(app, "/model/update", { model_name: "whole", model_info: { id: "part-1" } });
      expect(renamed.body.model_name).toBe("whole");
      expect([await chat(app, "part"), await chat(app, "whole")]).toEqual([404, "I am gpt-4o"]);
    });

    test("is switched off and on, and removed", async () => {
      const { model_id: id } = (await send(app, "/model/new", named("switch"))).body;
      expect((await send(app, "/model/block", { id })).body.blocked).toBe(true);
      expect(await chat(app, "switch")).toBe(404);
      expect(await info(app, id)).toMatchObject({ model_name: "switch", model_info: { id }, blocked: true });
      const { key } = (await send(app, "/key/generate", {})).body;
      expect((await send(app, `/model/info?gw_model_id=${id}`, undefined, "GET", key)).status).toBe(404);
      const byId = await send(app, "/model/update", { id, litellm_params: { rpm: 9 } });
      expect(byId.body).toMatchObject({ model_id: id, litellm_params: { rpm: 9 }, blocked: true });
      expect((await send(app, "/model/unblock", { model_id: id })).body.blocked).toBe(false);
      expect(await chat(app, "switch")).toBe("I am gpt-4o-mini");
      expect(await info(app, id)).not.toContainKey("blocked");
      expect((await send(app, "/model/delete", { id })).status).toBe(200);
      expect(await chat(app, "switch")).toBe(404);
      expect((await send(app, "/model/delete", { id })).status).toBe(404);
    });

    test("joins a group of the configuration file, which stays as it is", async () => {
      const { model_id: id } = (await send(app, "/model/new", named("from-file"))).body;
      const group = await send(app, "/model_group/info?model_group=from-file", undefined, "GET");
      expect(group.body.data).toHaveLength(1);
      const all = (await send(app, "/model/info", undefined, "GET")).body.data as { model_name: string }[];
      expect(all.filter(({ model_name }) => model_name === "from-file")).toHaveLength(2);
      await send(app, "/model/delete", { id });
      for (const [path, json, method] of [
        ["/model/delete", { id: "file-1" }, "POST"],
        ["/model/block", { id: "file-1" }, "POST"],
        ["/model/update", { model_info: { id: "file-1" }, model_name: "x" }, "POST"],
        ["/model/file-1/update", { model_name: "x" }, "PATCH"],
      ] as const) {
        const refused = await send(app, path, json, method);
        expect([refused.status, refused.body.error.message]).toEqual([
          409,
          expect.stringContaining("configuration file"),
        ]);
      }
      expect((await send(app, "/model/new", named("other", {}, { id: "file-1" }))).status).toBe(409);
    });

    test("is lent no variable of the program itself", async () => {
      process.env.TURNPIKE_CANARY_OF_MODELS = "root";
      process.env.CANARY_OF_MODELS = "provider";
      const warnings = async (name: string): Promise<string> => {
        const { status, body } = await send(app, "/model/new", named(name, { api_key: `os.environ/${name}` }));
        expect(status).toBe(200);
        return JSON.stringify(body.warnings);
      };
      expect(await warnings("TURNPIKE_CANARY_OF_MODELS")).toContain("TURNPIKE_CANARY_OF_MODELS is not set");
      expect(await warnings("CANARY_OF_MODELS")).toBe("[]");
    });

    test("with faults is refused with every one of them at once, and nothing is kept", async () => {
      const before = (await app.storage.accounts.deployments.list()).length;
      const refused = await send(app, "/model/new", {
        model_name: "bad",
        litellm_params: {
          model: "nobody/gpt-4o",
          api_base: "ftp://host",
          rpm: "many",
          tpm: "more",
          drop_params: "perhaps",
          litellm_credential_name: "none",
          timeout: "os.environ/THIS_IS_NOT_SET_ANYWHERE",
        },
        model_info: { max_tokens: "lots" },
      });
      expect(refused.status).toBe(422);
      const faults = (refused.body.detail as { loc: string[]; msg: string }[]).map(({ loc, msg }) => [
        loc.slice(1).join("."),
        msg,
      ]);
      expect(faults).toEqual(
        expect.arrayContaining([
          ["litellm_params.model", expect.stringContaining("unknown provider `nobody`")],
          ["litellm_params.api_base", expect.stringContaining("http://")],
          ["litellm_params.rpm", "expected a number of 0 or more, found text"],
          ["litellm_params.tpm", "expected a number of 0 or more, found text"],
          ["litellm_params.drop_params", "expected true or false, found text"],
          ["litellm_params.litellm_credential_name", expect.stringContaining("`credential_list` has no `none`")],
          ["litellm_params.timeout", expect.stringContaining("THIS_IS_NOT_SET_ANYWHERE is not set")],
          ["model_info.max_tokens", "expected a number of 0 or more, found text"],
        ]),
      );
      expect(faults).toHaveLength(8);
      expect(await app.storage.accounts.deployments.list()).toHaveLength(before);
      expect((await send(app, "/model/new", { model_name: "x", litellm_params: {} })).status).toBe(422);
    });

    test("that is odd is kept, and what is odd is said", async () => {
      const { body } = await send(app, "/model/new", named("odd", { temperatur: 1, max_budget: 3 }));
      expect(body.warnings).toEqual([
        expect.stringContaining("no effect without `budget_duration`, and more is let through than this file says"),
        expect.stringContaining("did you mean `temperature`"),
      ]);
    });

    test("keeps its secrets to itself: not in an answer, not in the log, not in the database", async () => {
      const params = { extra_headers: { "x-own": `${SECRET}-2` }, extra_body: { token: `${SECRET}-3` } };
      await send(app, "/model/new", named("sealed", params, { id: "sealed-1", auth: { code: `${SECRET}-4` } }));
      const rows = JSON.stringify([
        await app.storage.accounts.deployments.list(),
        (await app.storage.accounts.audit.list({}, { page: 1, pageSize: 100 })).rows,
      ]);
      expect(rows).toContain("sealed-1");
      const seen = JSON.stringify([
        await info(app, "sealed-1"),
        (await send(app, "/model/info", undefined, "GET")).body,
      ]);
      for (const text of [rows, seen, app.logged.join()]) expect(text).not.toContain(SECRET);
      const patched = await send(
        app,
        "/model/sealed-1/update",
        { litellm_params: { extra_headers: { a: "****" } } },
        "PATCH",
      );
      expect([patched.status, patched.body.detail[0].msg]).toEqual([422, expect.stringContaining("mask")]);
    });

    test("writes to the audit log who made, changed and removed it, without values", async () => {
      const { model_id: id } = (await send(app, "/model/new", named("noted"))).body;
      await send(app, `/model/${id}/update`, { litellm_params: { api_key: `${SECRET}-new` } }, "PATCH");
      await send(app, "/model/block", { id });
      await send(app, "/model/delete", { id });
      const { rows } = await app.storage.accounts.audit.list({}, { page: 1, pageSize: 100 });
      const noted = rows.filter(({ targetId }) => targetId === id).reverse();
      expect(noted.map(({ action, actor }) => `${actor} ${action}`)).toEqual(
        ["model.create", "model.update", "model.disable", "model.remove"].map((action) => `master_key ${action}`),
      );
      expect(noted[1]?.details).toMatchObject({ group: "noted", fields: ["api_key"] });
    });

    test("is tried before it is added, and the failure is named", async () => {
      const good = await send(app, "/health/test_connection", named("x"));
      expect(good.body).toMatchObject({ status: "success", result: { error: null, duration_ms: expect.any(Number) } });
      const bad = await send(app, "/health/test_connection", named("x", { api_key: "sk-wrong-key-of-a-test" }));
      expect(bad.body).toMatchObject({ status: "error", result: { kind: "upstream_authentication" } });
      expect(JSON.stringify(bad.body)).not.toContain("wrong-key");
      const closed = await send(app, "/health/test_connection", named("x", { api_base: "http://127.0.0.1:1/v1" }));
      expect(closed.body).toMatchObject({ status: "error", result: { kind: "connection" } });
      expect((await send(app, "/health/test_connection", { litellm_params: { model: "no" } })).status).toBe(422);
    });

    test("is nothing that a caller's key may touch", async () => {
      const limited = await restrictedKey(app, ["fresh"]);
      for (const path of ["/model/new", "/model/delete", "/model/block", "/health/test_connection"]) {
        expect((await send(app, path, named("x"), "POST", limited.key)).status).toBe(403);
      }
      expect(await chat(app, "fresh", limited.key)).toBe("I am gpt-4o-mini");
      expect(await chat(app, "sealed", limited.key)).toBe(403);
    });

    test("that cannot be read any more is left out, said so, and takes no other with it", async () => {
      const { deployments, settings } = app.storage.accounts;
      const { model_id: id } = (await send(app, "/model/new", named("damaged"))).body;
      await deployments.update(id, { sealed: "v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" });
      await settings.put("models.version", crypto.randomUUID());
      await app.service.refresh();
      expect([await chat(app, "damaged"), await chat(app, "fresh")]).toEqual([404, "I am gpt-4o-mini"]);
      const mended = await send(app, `/model/${id}/update`, { litellm_params: { api_key: SECRET, api_base } }, "PATCH");
      expect(mended.status).toBe(200);
      expect(await chat(app, "damaged")).toBe("I am gpt-4o-mini");
    });

    // A SQLite folder belongs to one process: its restart is an end-to-end test.
    if (kind === "sqlite") return;

    test("is there after a restart", async () => {
      const again = await startApp(CONFIG, url);
      expect(await chat(again, "fresh")).toBe("I am gpt-4o-mini");
      await again.close();
    });

    test("is seen by another process at its next look", async () => {
      const other = await startApp(CONFIG, url);
      const { model_id: id } = (await send(app, "/model/new", named("shared"))).body;
      expect(await chat(other, "shared")).toBe(404);
      await other.service.refresh();
      expect(await chat(other, "shared")).toBe("I am gpt-4o-mini");
      await send(other, "/model/delete", { id });
      expect(await chat(app, "shared")).toBe("I am gpt-4o-mini");
      await app.service.refresh();
      expect(await chat(app, "shared")).toBe(404);
      await other.close();
    });
  });
}

test("where storing is switched off, nothing is stored", async () => {
  const app = await startApp("general_settings: { store_model_in_db: false }");
  const refused = await send(app, "/model/new", named("x"));
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining("store_model_in_db")]);
  expect(await app.storage.accounts.deployments.list()).toEqual([]);
  await app.close();
});

test("a stored model takes the name of an offline one for as long as it is on", async () => {
  const app = await startApp();
  const { model_id: id } = (await send(app, "/model/new", named("echo"))).body;
  expect(await chat(app, "echo")).toBe("I am gpt-4o-mini");
  await send(app, "/model/block", { id });
  expect(await chat(app, "echo")).toBe("You said: who?");
  await app.close();
});
