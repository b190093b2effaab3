import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { always, trippedFailures } from "../../../test/upstreams/hostile.ts";
import { ERRORS, type ErrorKind } from "../../contract/errors.ts";
import { classifyOpenAi } from "./failure.ts";
import { openai } from "./provider.ts";
import { loadFailures } from "./test-failures.ts";

const KINDS: Readonly<Record<string, ErrorKind>> = {
  "bad-request": "invalid_request",
  "billing-limit": "rate_limit",
  "content-policy-image": "content_policy",
  "content-policy-image-gpt": "content_policy",
  "content-policy-prompt": "content_policy",
  "context-window": "context_window",
  "context-window-cerebras": "context_window",
  "context-window-gpt-5": "context_window",
  country: "upstream_authentication",
  empty: "upstream",
  "gateway-html": "upstream",
  "gateway-timeout": "timeout",
  "half-json": "upstream",
  "model-not-in-project": "model_not_found",
  overloaded: "upstream_unavailable",
  "overlong-user": "invalid_request",
  quota: "rate_limit",
  "quota-deepseek": "rate_limit",
  "quota-openrouter": "rate_limit",
  "rate-limit": "rate_limit",
  "rate-limit-groq": "rate_limit",
  "rate-limit-mistral": "rate_limit",
  "rate-limit-tokens": "rate_limit",
  "request-timeout": "timeout",
  "server-error": "upstream",
  "server-error-400": "upstream",
  teapot: "invalid_request",
  "timeout-text": "timeout",
  "unknown-model": "model_not_found",
  "unknown-model-400": "model_not_found",
  unprocessable: "invalid_request",
  "validation-mistral": "invalid_request",
  "wrong-key": "upstream_authentication",
};

const failures = loadFailures(import.meta.dir);
const classify = (name: string) => {
  const failure = failures.get(name);
  if (!failure) throw new Error(`no fixture ${name}`);
  return openai.classify(failure);
};

test("every recorded failure has an expected meaning", () => {
  expect([...failures.keys()].sort()).toEqual(Object.keys(KINDS).sort());
});

test.each(Object.entries(KINDS))("%s is %s", (name, kind) => {
  expect(classify(name).kind).toBe(kind);
});

describe("the message", () => {
  test("is the upstream's own where it is about the request", () => {
    expect(classify("context-window").message).toStartWith("OpenAI: This model's maximum context length is 128000");
  });

  test("says whose quota is used up", () => {
    for (const name of ["quota", "quota-deepseek", "billing-limit"]) {
      expect(classify(name).message).toContain("the account that this gateway uses");
    }
  });

  test("shows nothing of the operator's key or project, nor a page of somebody's proxy", () => {
    expect(classify("wrong-key").message).not.toContain("sk-");
    expect(classify("model-not-in-project").message).not.toContain("proj_");
    expect(classify("gateway-html").message).toBe("OpenAI answered with status 502.");
  });
});

test("any failure at all has a known kind and a message of bounded length", () => {
  const statusAndBody = fc.tuple(fc.integer({ min: 300, max: 599 }), fc.oneof(fc.string(), fc.json()));
  fc.assert(
    fc.property(statusAndBody, ([status, body]) => {
      const { kind, message } = classifyOpenAi({ status, headers: new Headers(), body }, "OpenAI");
      expect(Object.keys(ERRORS)).toContain(kind);
      expect(message.length).toBeLessThan(600);
    }),
    always(trippedFailures(failures.values())),
  );
});
