import { afterAll, expect, test } from "bun:test";
import { startCachedApp } from "../cache/cached-app.ts";

const entry = (name: string, params: object) => ({ guardrail_name: name, litellm_params: params });
const cached = await startCachedApp(
  {},
  {
    guardrails: [
      entry("mask", { guardrail: "pii", mode: "pre_call" }),
      entry("words", { guardrail: "word_list", mode: "pre_call", words: ["falcon"] }),
      entry("for good", { guardrail: "pii", mode: "pre_call", reversible: false }),
      entry("watching", { guardrail: "word_list", mode: "logging_only", action: "block", words: ["falcon"] }),
      entry("answers", { guardrail: "word_list", mode: "post_call", words: ["falcon"] }),
    ],
  },
);
afterAll(() => cached.close());
const ask = async (content: string, guardrails: string[]) => {
  const response = await cached.chat(content, { guardrails });
  await response.text();
  return response.headers.get("x-gw-cache-hit") === "true";
};

test("an answer that is made for one caller's values, or that guardrails look at, is nobody else's", async () => {
  // Both are the same once they are masked.
  expect([await ask("I am bob@example.com", ["mask"]), await ask("I am eve@example.com", ["mask"])]).toEqual([
    false,
    false,
  ]);
  expect(await ask("I am eve@example.com", ["mask"])).toBe(false);
  expect([await ask("hello", ["answers"]), await ask("hello", ["answers"])]).toEqual([false, false]);
});

test.each([
  ["masked for good", "for good", "I am bob@example.com"],
  ["only watched", "watching", "a falcon"],
])("what is %s in a request is told in the log, also where the cache answers it", async (_, name, content) => {
  const told = () =>
    cached.app.logged.filter((line) => line.includes("guardrails found something") && line.includes(name));
  expect(await ask(content, [name])).toBe(false);
  while (told().length < 1) await Bun.sleep(1);
  expect(await ask(content, [name])).toBe(true);
  while (told().length < 2) await Bun.sleep(1);
});

test("a request that guardrails have let pass unchanged may be answered from the cache", async () => {
  expect([await ask("hello there", ["words"]), await ask("hello there", ["words"])]).toEqual([false, true]);
  expect([await ask("nothing here", ["mask"]), await ask("nothing here", ["mask"])]).toEqual([false, true]);
  const refused = await cached.chat("a falcon", { guardrails: ["words"] });
  expect(refused.status).toBe(400);
});
