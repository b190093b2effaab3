import { expect, test } from "bun:test";
import fc from "fast-check";
import { always, trippedFailures } from "../../../test/upstreams/hostile.ts";
import { ERRORS } from "../../contract/errors.ts";
import { gemini } from "./provider.ts";
import { fixtureText } from "./test-gemini.ts";

const classify = (status: number, body: string) => gemini.classify({ status, headers: new Headers(), body });

test.each([
  [400, "bad-request.json", "invalid_request"],
  [400, "context-window.json", "context_window"],
  [400, "context-window-vertex.json", "context_window"],
  [400, "context-window-stream.json", "context_window"],
  [400, "content-policy.json", "content_policy"],
  [400, "bad-key.json", "upstream_authentication"],
  [400, "location.json", "upstream_authentication"],
  [401, "unauthenticated.json", "upstream_authentication"],
  [403, "permission.json", "upstream_authentication"],
  [404, "not-found.json", "model_not_found"],
  [429, "rate-limit.json", "rate_limit"],
  [500, "internal.json", "upstream"],
  [503, "overloaded.json", "upstream_unavailable"],
  [504, "deadline.json", "timeout"],
  [502, "html.txt", "upstream"],
  [500, "half.txt", "upstream"],
] as const)("status %d with %s is %s", (status, name, kind) => {
  const { kind: found, message } = classify(status, fixtureText(`errors/${name}`));
  expect(found).toBe(kind);
  expect(message).toStartWith("Google Gemini");
  expect(message).not.toContain("<");
});

test("an empty body is judged by its status", () => {
  expect(classify(503, "").kind).toBe("upstream_unavailable");
  expect(classify(400, "")).toEqual({ kind: "invalid_request", message: "Google Gemini answered with status 400." });
});

test("a refused key is not told to the caller in Google's words", () => {
  expect(classify(403, fixtureText("errors/permission.json")).message).not.toContain("projects/");
});

test("any body of any status has a kind", () => {
  fc.assert(
    fc.property(fc.tuple(fc.integer({ min: 300, max: 599 }), fc.oneof(fc.string(), fc.json())), ([status, body]) => {
      expect(Object.keys(ERRORS)).toContain(classify(status, body).kind);
    }),
    always(trippedFailures([{ status: 400, body: fixtureText("errors/bad-key.json") }])),
  );
});
