import { expect, test } from "bun:test";
import fc from "fast-check";
import { always, trippedFailures } from "../../../test/upstreams/hostile.ts";
import { ERRORS, type ErrorKind } from "../../contract/errors.ts";
import { loadFailures } from "../openai/test-failures.ts";
import { azure } from "./provider.ts";

const KINDS: Readonly<Record<string, ErrorKind>> = {
  "content-filter": "content_policy",
  "content-filter-image": "content_policy",
  "content-filter-older": "content_policy",
  "context-window": "context_window",
  "deployment-not-found": "model_not_found",
  empty: "upstream",
  "expired-token": "upstream_authentication",
  "half-json": "content_policy",
  html: "upstream_unavailable",
  network: "upstream_authentication",
  overloaded: "upstream_unavailable",
  "rate-limit": "rate_limit",
  "resource-not-found": "model_not_found",
  "server-error": "upstream",
  timeout: "timeout",
  "unsupported-api-version": "invalid_request",
  "wrong-key": "upstream_authentication",
};

const failures = loadFailures(import.meta.dir);
const classify = (name: string) => {
  const failure = failures.get(name);
  if (!failure) throw new Error(`no fixture ${name}`);
  return azure.classify(failure);
};

test("every recorded failure has an expected meaning", () => {
  expect([...failures.keys()].sort()).toEqual(Object.keys(KINDS).sort());
});

test.each(Object.entries(KINDS))("%s is %s", (name, kind) => {
  expect(classify(name).kind).toBe(kind);
});

test("a refusal of the content filter names the categories that it means, and only those", () => {
  expect(classify("content-filter").message).toBe(
    "Azure OpenAI's content filter refused the request (hate, violence).",
  );
  expect(classify("content-filter-image").message).toContain("(sexual)");
  expect(classify("content-filter-older").message).toBe("Azure OpenAI's content filter refused the request.");
});

test("any failure at all has a known kind", () => {
  const inner = fc.record({ code: fc.anything(), content_filter_result: fc.anything() });
  const body = fc.oneof(fc.json(), fc.record({ error: fc.record({ code: fc.anything(), innererror: inner }) }));
  fc.assert(
    fc.property(fc.tuple(fc.integer({ min: 300, max: 599 }), body), ([status, said]) => {
      const text = typeof said === "string" ? said : (JSON.stringify(said, jsonSafe) ?? "");
      const { kind } = azure.classify({ status, headers: new Headers(), body: text });
      expect(Object.keys(ERRORS)).toContain(kind);
    }),
    always(trippedFailures(failures.values())),
  );
});

const jsonSafe = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
