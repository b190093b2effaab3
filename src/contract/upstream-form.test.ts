import { expect, test } from "bun:test";
import { upstreamForm, withModel, writtenModel } from "./upstream-form.ts";

const at = (provider: string, apiBase: string | null = null, info: Record<string, unknown> = {}) => ({
  provider,
  apiBase,
  info,
});
const RESPONSES = { form: "responses" as const };
const OWN = "http://127.0.0.1:8000/v1";

test.each([
  ["the prefix tells it", at("openai", OWN), "responses/mine", { upstreamModel: "mine", ...RESPONSES }],
  ["on Azure too", at("azure", "https://a.openai.azure.com"), "responses/m", { upstreamModel: "m", ...RESPONSES }],
  ["the mode tells it", at("openai", OWN, { mode: "responses" }), "mine", { upstreamModel: "mine", ...RESPONSES }],
  ["the name tells it at OpenAI's own", at("openai"), "o3-pro", { upstreamModel: "o3-pro", ...RESPONSES }],
  ["and at a region of it", at("openai", "https://eu.api.openai.com/v1"), "o1-pro-2025-03-19", RESPONSES],
  ["base_model tells it", at("azure", "https://a", { base_model: "azure/gpt-5-pro" }), "our-pro", RESPONSES],
  ["a server of somebody's own may have it as a chat", at("openai", OWN), "gpt-5-codex", { form: undefined }],
  ["the mode wins over the name", at("openai", null, { mode: "chat" }), "gpt-5.2-pro", { form: undefined }],
  ["other models are chats", at("openai"), "gpt-5.1", { form: undefined }],
  ["and so is a prefix alone", at("openai"), "responses/", { upstreamModel: "responses/", form: undefined }],
  [
    "others have no such form",
    at("groq", null, { mode: "responses" }),
    "responses/m",
    { upstreamModel: "responses/m" },
  ],
] as const)("of a model: %s", (_, described, model, expected) => {
  const formed = upstreamForm(described, model);
  expect({ form: undefined, ...formed }).toMatchObject(expected);
});

test.each(["o1-pro", "gpt-5-codex", "gpt-5.1-codex-mini", "codex-mini-latest", "o4-mini-deep-research", "gpt-5.2-pro"])(
  "%s is served nowhere but there",
  (model) => expect(upstreamForm(at("openai"), model).form).toBe("responses"),
);

test("a pattern's form is that of all its models, and is written again as it was", () => {
  const pattern = { ...at("openai", OWN), id: "i", group: "g", upstreamModel: "*", ...RESPONSES, apiKey: null };
  const filled = withModel({ ...pattern, apiVersion: null, params: {} }, "any");
  expect(filled).toMatchObject({ upstreamModel: "any", form: "responses" });
  expect(writtenModel(filled)).toBe("responses/any");
  expect(writtenModel({ upstreamModel: "any" })).toBe("any");
});
