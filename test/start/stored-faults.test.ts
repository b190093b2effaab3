import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { configOf } from "../config/load-text.ts";

const BOTH = `
model_list:
  - { model_name: one, litellm_params: { model: echo/echo } }
  - { model_name: two, litellm_params: { model: echo/echo } }
credential_list:
  - { credential_name: shared, credential_values: { api_key: k } }
`;
const ONE = `
model_list:
  - { model_name: one, litellm_params: { model: echo/echo } }
`;

const app = await startApp(BOTH);
afterAll(() => app.close());

function apply(yaml: string): string[] {
  app.service.apply(configOf(yaml));
  return app.service.storedModelProblems().map(({ message }) => message);
}

const put = async (path: string, json: object, method = "PUT") =>
  expect((await app.call(path, { method, key: MASTER_KEY, json })).ok).toBe(true);

test("a file that takes away what stored models, aliases and fallbacks stand on is told about it", async () => {
  const model = { provider: "openai", inferenceModelId: "gpt-4o", name: "kept", credentialName: "shared" };
  await put("/api/admin/models", model, "POST");
  await put("/api/admin/aliases/short", { model: "two" });
  await put("/api/admin/aliases/fine", { model: "one" });
  await put("/api/admin/fallbacks/general/one", { targets: ["kept", "two"] });
  expect(apply(BOTH)).toEqual([]);
  expect(apply(ONE)).toEqual([
    expect.stringMatching(/^the stored model `kept` cannot be called: .*`credential_list` has no `shared`/),
    "the stored alias `short` leads to `two`, which is not there",
    "the stored fallbacks of `one` name `kept`, `two`, which is not there",
  ]);
  expect(apply(BOTH)).toEqual([]);
});
