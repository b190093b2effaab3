import { afterAll, expect, test } from "bun:test";
import { restrictedKey } from "../models/restricted-key.ts";
import { look, startCachedApp } from "./cached-app.ts";

const place = await startCachedApp(
  { type: "semantic", embedding_model: "vectors", charge_embeddings: true },
  {
    guardrails: [
      {
        guardrail_name: "stored",
        litellm_params: { guardrail: "pii", mode: "logging_only", action: "mask", default_on: true },
      },
    ],
  },
  [{ model_name: "vectors", litellm_params: { model: "echo/embedding" }, model_info: { free: true } }],
);
afterAll(() => place.close());
const { app, books, chat } = place;

test("what is stored of a call has its question once, as guardrails left it: not with the vector that is charged", async () => {
  await look(await chat("first"));
  await app.storage.accounts.organizations.update((await books.last()).organizationId ?? "", { storePrompts: true });
  const { key } = await restrictedKey(app, []);
  const before = books.ended.length;
  await look(await chat("I am ann@example.com", {}, { key }));
  await books.last();
  const rows = books.ended.slice(before).map(({ record }) => record);
  expect(rows.map(({ operation }) => operation).sort()).toEqual(["chat", "embedding"]);
  const chatId = rows.find(({ operation }) => operation === "chat")?.id ?? "";
  let kept = await app.storage.usage.findContents(chatId);
  while (!kept) kept = await app.storage.usage.findContents(chatId);
  expect(kept.request).toContain("[EMAIL_1]");
  const vectorId = rows.find(({ operation }) => operation === "embedding")?.id ?? "";
  expect(vectorId).not.toBe("");
  expect(await app.storage.usage.findContents(vectorId)).toBeNull();
});
