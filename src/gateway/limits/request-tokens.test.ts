import { expect, test } from "bun:test";
import { measurePrompt } from "../metering/prompt-size.ts";
import { requestedTokens } from "./request-tokens.ts";

const asked = (limits: object): number => {
  const request = { model: "echo", messages: [{ role: "user", content: "hi" }], ...limits };
  return requestedTokens(request, measurePrompt("chat", request));
};

test("of two names for the longest answer the greater one counts, since either may reach the upstream", () => {
  const prompt = asked({});
  expect(asked({ max_tokens: 70 }) - prompt).toBe(70);
  expect(asked({ max_completion_tokens: 70 }) - prompt).toBe(70);
  expect(asked({ max_completion_tokens: 1, max_tokens: 70 }) - prompt).toBe(70);
  expect(asked({ max_completion_tokens: 70, max_tokens: 1, n: 2 }) - prompt).toBe(140);
});
