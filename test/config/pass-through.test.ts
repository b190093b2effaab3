import { describe, expect, test } from "bun:test";
import { renderFaults } from "../../src/config/render-faults.ts";
import { faultsOf, loadText } from "./load-text.ts";

const HUSH = "CANARYcanary";
const endpoints = (entry: string, env: Record<string, string> = {}) =>
  loadText(`general_settings:\n  pass_through_endpoints:\n    - ${entry}\n`, env);
const messages = (entry: string): readonly string[] =>
  faultsOf(endpoints(entry)).map(({ path, message }) => `${path}: ${message}`);

describe("pass_through_endpoints", () => {
  test("are read as people bring them", () => {
    const result = endpoints(
      `{ path: /v1/own/, target: "https://example.com/x?k=1", headers: { Authorization: "bearer os.environ/OWN_TOKEN", X-Two: "os.environ/OWN_TOKEN", content-type: application/json, X-N: 2 }, ` +
        "default_query_params: { a: os.environ/OWN_TOKEN }, include_subpath: True, cost_per_request: 12, auth: true, methods: [get, POST], forward_headers: true, timeout: 5 }",
      { OWN_TOKEN: HUSH },
    );
    expect(result.ok && result.config.passThroughs).toEqual([
      {
        path: "/v1/own",
        target: "https://example.com/x?k=1",
        headers: { authorization: `bearer ${HUSH}`, "x-two": HUSH, "content-type": "application/json", "x-n": "2" },
        query: { a: HUSH },
        includeSubpath: true,
        needsKey: true,
        costPerRequest: 12_000_000_000n,
        methods: ["GET", "POST"],
        forwardHeaders: true,
        timeoutMs: 5000,
      },
    ]);
    expect(result.warnings).toEqual([]);
  });

  test("need a key, take every method and cost nothing unless told", () => {
    const result = endpoints("{ path: /own, target: http://127.0.0.1:1 }");
    expect(result.ok && result.config.passThroughs[0]).toMatchObject({
      needsKey: true,
      costPerRequest: null,
      includeSubpath: false,
      forwardHeaders: false,
      methods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    });
  });

  test.each([
    ["{ target: https://example.com }", "`path` is missing"],
    ["{ path: /own }", "`target` is missing"],
    ["{ path: own, target: https://example.com }", "expected a path such as /bria"],
    ["{ path: /, target: https://example.com }", "expected a path such as /bria"],
    ["{ path: /a/../b, target: https://example.com }", "expected a path such as /bria"],
    ['{ path: "/own/{endpoint:path}", target: https://example.com }', "`include_subpath: true`"],
    ["{ path: /own, target: ftp://example.com }", "begins with http:// or https://"],
    ["{ path: /own, target: https://me:hidden@example.com }", "send them in `headers`"],
    ["{ path: /own, target: https://example.com/#x }", "has a `#`"],
    ["{ path: /own, target: https://example.com, methods: [OPTIONS] }", "possible are GET, POST, PUT, PATCH, DELETE"],
    ["{ path: /own, target: https://example.com, auth: false, cost_per_request: 1 }", "`auth: false` asks nobody"],
    ["{ path: /own, target: https://example.com, cost_per_request: a lot }", "expected an amount in USD"],
    ['{ path: /own, target: https://example.com, headers: { "a b": c } }', "no header can have"],
    [
      "{ path: /own, target: https://example.com, headers: { Transfer-Encoding: chunked } }",
      "goes with each connection",
    ],
    ['{ path: /own, target: https://example.com, headers: { a: "b\\nc" } }', "cannot be sent"],
    [
      "{ path: /own, target: https://example.com, headers: { a: x os.environ/NOT_SET_HERE } }",
      "NOT_SET_HERE is not set",
    ],
    ["{ path: /own, target: https://example.com, cost_per_requests: 1 }", "cost_per_request"],
    [
      "{ path: /own, target: https://example.com }\n    - { path: /own/, target: https://example.org, methods: [GET] }",
      "GET /own is listed before",
    ],
    ["nothing", "expected a map of keys"],
  ])("with a fault are refused: %s", (entry, message) => {
    expect(messages(entry).join("\n")).toContain(message);
  });

  test("with guardrails say that they are not served", () => {
    const { warnings } = endpoints("{ path: /own, target: https://example.com, guardrails: { pii: null } }");
    expect(warnings).toMatchObject([
      { protects: true, message: expect.stringContaining("no guardrail looks at what is passed on") },
    ]);
  });

  test("never show what is sent to the target", () => {
    for (const entry of [
      `{ path: own, target: "https://example.com/?k=${HUSH}", headers: { x-own: ${HUSH}, y: [${HUSH}] }, default_query_params: { k: ${HUSH}, l: [${HUSH}] } }`,
      `path: own\n      target: https://u:${HUSH}@example.com\n      headers:\n        x-own: ${HUSH}\n        y: [${HUSH}]\n        z: "${HUSH}\\n"`,
    ]) {
      const text = `general_settings:\n  pass_through_endpoints:\n    - ${entry}\n`;
      const result = loadText(text);
      expect(faultsOf(result).length).toBeGreaterThan(1);
      expect(renderFaults(faultsOf(result), () => text)).not.toContain(HUSH);
    }
  });
});
