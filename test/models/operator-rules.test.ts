import { afterAll, describe, expect, spyOn, test } from "bun:test";
import type { OperatorRule } from "../../src/accounts/operator-rule.ts";
import { noteModelChange } from "../../src/models/stock.ts";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";

const CONFIG = `
general_settings: { markup_percent: 10 }
model_list:
  - { model_name: first, litellm_params: { model: echo/chat, mock_response: I am first } }
  - { model_name: second, litellm_params: { model: echo/chat, mock_response: I am second } }
  - model_name: broken
    litellm_params: { model: openai/x, api_base: "http://127.0.0.1:1/v1", api_key: none }
    model_info: { id: id-of-broken, input_cost_per_token: "0.000001", output_cost_per_token: "0.000002" }
router_settings:
  num_retries: 0
  model_group_alias: { of-file: first }
  fallbacks: [{ broken: [first] }]
guardrails:
  - { guardrail_name: from file, litellm_params: { guardrail: word_list, words: [heron] } }
`;

const send = async (app: TestApp, method: string, path: string, json?: unknown) => {
  const response = await app.call(`/api/admin/${path}`, { method, key: MASTER_KEY, ...(json ? { json } : {}) });
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of many shapes.
  return { status: response.status, body: (await response.json()) as any };
};
const say = async (app: TestApp, model: string, content: string) => {
  const json = { model, messages: [{ role: "user", content }] };
  return (await app.call("/v1/chat/completions", { key: MASTER_KEY, json })).status;
};
const answerOf = async (app: TestApp, model: string) => {
  const json = { model, messages: [{ role: "user", content: "who?" }] };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  const body = (await response.json()) as { model: string };
  return response.status === 200 ? body.model : response.status;
};
const audited = async (app: TestApp) =>
  (await app.storage.accounts.audit.list({}, { page: 1, pageSize: 100 })).rows.map(({ action }) => action);
/** As another process would, of which this one knows nothing yet. */
const keepElsewhere = (app: TestApp, rule: Pick<OperatorRule, "kind" | "name" | "value">) =>
  app.storage.accounts.transaction(async (tx) => {
    await noteModelChange(tx);
    await tx.operatorRules.put({ ...rule, createdBy: null, createdAt: 1, updatedAt: 1 });
  });

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`what operators set at run time, on ${kind}`, async () => {
    if (missing) return;
    const url = await migratedUrl(kind);
    const app = await startApp(CONFIG, url);
    afterAll(() => app.close());

    test("a guardrail looks at calls from when it is made until it is removed", async () => {
      const definition = { guardrail: "word_list", words: ["falcon"], default_on: true };
      expect(await say(app, "first", "project falcon")).toBe(200);
      const made = await send(app, "POST", "guardrails", { name: "code names", definition });
      expect(made).toMatchObject({
        status: 201,
        body: { name: "code names", source: "database", kind: "word_list", defaultOn: true, definition, faults: [] },
      });
      expect(await say(app, "first", "project falcon")).toBe(400);
      const changed = { ...definition, words: ["eagle"] };
      expect((await send(app, "PUT", "guardrails/code%20names", { definition: changed })).status).toBe(200);
      expect(await say(app, "first", "project falcon")).toBe(200);
      expect(await say(app, "first", "project eagle")).toBe(400);
      expect((await send(app, "GET", "guardrails/code%20names")).body.definition).toEqual(changed);
      const { body } = await send(app, "GET", "guardrails");
      expect(body.data.map((one: { name: string; source: string }) => [one.name, one.source])).toEqual([
        ["from file", "configuration"],
        ["code names", "database"],
      ]);
      expect(JSON.stringify(body)).not.toContain("eagle");
      expect((await send(app, "DELETE", "guardrails/code%20names")).body).toEqual({ success: true });
      expect(await say(app, "first", "project eagle")).toBe(200);
      expect((await send(app, "GET", "guardrails/code%20names")).status).toBe(404);
      expect(await audited(app)).toEqual(
        expect.arrayContaining(["guardrail.create", "guardrail.update", "guardrail.remove"]),
      );
    });

    test("the file's guardrails stay as they are, and their names are theirs", async () => {
      const definition = { guardrail: "pii" };
      expect((await send(app, "POST", "guardrails", { name: "from file", definition })).status).toBe(409);
      expect((await send(app, "PUT", "guardrails/from%20file", { definition })).status).toBe(409);
      expect((await send(app, "DELETE", "guardrails/from%20file")).status).toBe(409);
      expect((await send(app, "GET", "guardrails/from%20file")).body).toMatchObject({
        source: "configuration",
        definition: null,
      });
    });

    test.each([
      [{ guardrail: "webhook", api_base: "https://a.example", secret: "s" }],
      [{ guardrail: "plugin", module: "/x.ts" }],
      [{ guardrail: "regex", patterns: ["(?=a)"] }],
      [{ guardrail: "regex" }],
      [{ guardrail: "word_list", words: [] }],
      [{ guardrail: "json_schema", mode: "post_call", schema: { $ref: "#" } }],
      [{ guardrail: "pii", colour: "red" }],
      [{ guardrail: "moderation", model: "nowhere" }],
    ])("%j is no guardrail that could be kept", async (definition) => {
      const { status, body } = await send(app, "POST", "guardrails", { name: "odd", definition });
      expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
      expect((await send(app, "GET", "guardrails/odd")).status).toBe(404);
    });

    test("one that asks a model is kept where there is that model", async () => {
      const definition = { guardrail: "moderation", model: "first" };
      expect((await send(app, "POST", "guardrails", { name: "asks", definition })).status).toBe(201);
      expect((await send(app, "DELETE", "guardrails/asks")).status).toBe(200);
    });

    test("the name of another path is refused", async () => {
      const { status } = await send(app, "POST", "guardrails", { name: "test", definition: { guardrail: "pii" } });
      expect(status).toBe(409);
    });

    test("an alias can be called at once, takes the place of the file's, and gives it back", async () => {
      expect(await answerOf(app, "nick")).toBe(404);
      expect((await send(app, "PUT", "aliases/nick", { model: "second" })).body).toEqual({
        alias: "nick",
        model: "second",
        hidden: false,
        source: "database",
        configured: null,
      });
      expect(await say(app, "nick", "hi")).toBe(200);
      expect((await send(app, "PUT", "aliases/of-file", { model: "second", hidden: true })).body).toMatchObject({
        source: "database",
        configured: { model: "first", hidden: false },
      });
      expect((await send(app, "DELETE", "aliases/of-file")).status).toBe(200);
      expect((await send(app, "GET", "aliases")).body.data).toEqual([
        expect.objectContaining({ alias: "of-file", model: "first", source: "configuration" }),
        expect.objectContaining({ alias: "nick" }),
      ]);
      expect((await send(app, "DELETE", "aliases/of-file")).status).toBe(409);
      expect((await send(app, "DELETE", "aliases/nick")).status).toBe(200);
      expect((await send(app, "DELETE", "aliases/nick")).status).toBe(404);
      expect(await answerOf(app, "nick")).toBe(404);
    });

    test.each([
      ["first", "second"],
      ["a-star*", "second"],
      ["new", "nobody"],
      ["new", "of-file"],
      ["id-of-broken", "first"],
    ])("an alias %p of %p is refused in words", async (alias, model) => {
      const { status, body } = await send(app, "PUT", `aliases/${encodeURIComponent(alias)}`, { model });
      expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
    });

    test("names that nobody can read, words that nobody can find and groups that stand in for themselves are refused", async () => {
      for (const name of [" ", "a\nb", "a\u202eb", "first ", "a\u200bb"]) {
        const refused = await send(app, "PUT", `aliases/${encodeURIComponent(name)}`, { model: "first" });
        expect([name, refused.status]).toEqual([name, 400]);
      }
      expect((await send(app, "PUT", "fallbacks/general/first", { targets: ["of-file"] })).status).toBe(400);
      expect((await send(app, "PUT", "fallbacks/general/of-file", { targets: ["first"] })).status).toBe(400);
      for (const word of [" ", "\u200b"]) {
        const definition = { guardrail: "word_list", words: ["falcon", word] };
        expect(await send(app, "POST", "guardrails", { name: "blank", definition })).toMatchObject({
          status: 400,
          body: { error: expect.stringContaining("nothing that could be found") },
        });
      }
    });

    test("fallbacks hold at once, in place of the file's, until they are taken back", async () => {
      expect(await answerOf(app, "broken")).toBe("first");
      const set = await send(app, "PUT", "fallbacks/general/broken", { targets: ["second", "first"] });
      expect(set.body).toEqual({
        kind: "general",
        group: "broken",
        targets: ["second", "first"],
        source: "database",
        configured: ["first"],
      });
      expect(await answerOf(app, "broken")).toBe("second");
      await send(app, "PUT", "fallbacks/general/broken", { targets: [] });
      expect(await answerOf(app, "broken")).toBeGreaterThanOrEqual(400);
      expect((await send(app, "DELETE", "fallbacks/general/broken")).status).toBe(200);
      expect(await answerOf(app, "broken")).toBe("first");
      expect((await send(app, "DELETE", "fallbacks/general/broken")).status).toBe(409);
      const everybody = await send(app, "PUT", `fallbacks/context_window/${encodeURIComponent("*")}`, {
        targets: ["second"],
      });
      expect(everybody.status).toBe(200);
      expect((await send(app, "GET", "fallbacks")).body.data).toHaveLength(2);
      expect((await send(app, "GET", "fallbacks?group=broken")).body.data).toHaveLength(1);
    });

    test.each([
      ["general/broken", { targets: ["broken"] }],
      ["general/broken", { targets: ["nobody"] }],
      ["general/nobody", { targets: ["first"] }],
      ["other/broken", { targets: ["first"] }],
      ["general/broken", { targets: ["first", "first"] }],
    ])("fallbacks %p to %j are refused in words", async (path, json) => {
      const { status, body } = await send(app, "PUT", `fallbacks/${path}`, json);
      expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
    });

    test("the mark-up is what callers are charged from then on", async () => {
      const priceOf = async () => {
        const models = await app.call("/api/models/broken");
        return ((await models.json()) as { inputPrice: number }).inputPrice;
      };
      expect(await priceOf()).toBe(1_100_000_000);
      expect((await send(app, "PUT", "markup", { percent: 25.5 })).body).toEqual({
        percent: 25.5,
        source: "database",
        configured: 10,
      });
      expect(await priceOf()).toBe(1_255_000_000);
      expect((await send(app, "PUT", "markup", { percent: 1.234 })).status).toBe(400);
      expect((await send(app, "DELETE", "markup")).body).toEqual({
        percent: 10,
        source: "configuration",
        configured: 10,
      });
      expect(await priceOf()).toBe(1_100_000_000);
      expect((await send(app, "DELETE", "markup")).status).toBe(404);
    });

    test("another process takes it over, and so does a later start", async () => {
      const other = url === null ? null : await startApp(CONFIG, url);
      await send(app, "PUT", "aliases/shared", { model: "first" });
      if (other) {
        expect(await answerOf(other, "shared")).toBe(404);
        await other.service.refresh();
        expect(await say(other, "shared", "hi")).toBe(200);
        await other.close();
        const later = await startApp(CONFIG, url);
        expect(await say(later, "shared", "hi")).toBe(200);
        await later.close();
      }
    });

    test("what another process has made a moment ago can be changed and removed here", async () => {
      const definition = { guardrail: "word_list", words: ["falcon"] };
      for (const name of ["to change", "to remove"]) {
        await keepElsewhere(app, { kind: "guardrail", name, value: { params: definition, info: {} } });
        const path = `guardrails/${encodeURIComponent(name)}`;
        if (name === "to change") expect((await send(app, "PUT", path, { definition })).status).toBe(200);
        expect((await send(app, "DELETE", path)).status).toBe(200);
      }
      await keepElsewhere(app, { kind: "alias", name: "of-file", value: { model: "second", hidden: false } });
      expect((await send(app, "DELETE", "aliases/of-file")).status).toBe(200);
    });

    test("what was kept is told, also when the database is gone before it is loaded", async () => {
      const reading = spyOn(app.storage.accounts.settings, "find").mockRejectedValue(new Error("gone"));
      const definition = { guardrail: "word_list", words: ["falcon"] };
      const credential = { name: "late", values: { api_key: "sk-late" } };
      try {
        const made = [
          await send(app, "POST", "guardrails", { name: "late", definition }),
          await send(app, "PUT", "aliases/late", { model: "first" }),
          await send(app, "PUT", "fallbacks/content_policy/first", { targets: ["second"] }),
          await send(app, "PUT", "markup", { percent: 7 }),
          await send(app, "POST", "providers/openai/credentials", credential),
        ];
        expect(made.map(({ status }) => status)).toEqual([201, 200, 200, 200, 201]);
        expect(made.map(({ body }) => body)).toMatchObject([
          { name: "late", source: "database", definition },
          { alias: "late", model: "first", source: "database", configured: null },
          { group: "first", targets: ["second"], source: "database", configured: null },
          { percent: 7, source: "database", configured: 10 },
          { name: "late" },
        ]);
      } finally {
        reading.mockRestore();
      }
      await app.service.refresh();
      expect((await send(app, "GET", "guardrails/late")).status).toBe(200);
      expect((await send(app, "DELETE", "markup")).status).toBe(200);
    });

    test("every change is in the audit log", async () => {
      const set = ["alias.set", "alias.remove", "fallbacks.set", "fallbacks.remove", "markup.set", "markup.remove"];
      expect(await audited(app)).toEqual(expect.arrayContaining(set));
    });
  });
}

test("where storing is switched off, the file alone decides", async () => {
  const app = await startApp(CONFIG.replace("markup_percent: 10", "markup_percent: 10, store_model_in_db: false"));
  const refused = await send(app, "PUT", "markup", { percent: 5 });
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining("store_model_in_db")]);
  await app.close();
});
