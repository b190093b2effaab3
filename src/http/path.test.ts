import { describe, expect, test } from "bun:test";
import { compilePath, moreExactFirst, openApiPath, parameterNames, pathOf } from "./path.ts";

describe("a path pattern", () => {
  test.each([
    ["/v1/models/{model_id}", "/v1/models/gpt-4o", { model_id: "gpt-4o" }],
    ["/v1/models/{model_id}", "/v1/models/a%2Fb", { model_id: "a/b" }],
    ["/v1/models/{model_id}", "/v1/models/a/b", null],
    ["/v1/models/{model_id}", "/v1/models/", null],
    ["/v1/models/{model_id}", "/v1/modelsx", null],
    ["/engines/{model...}/chat", "/engines/a/b/c/chat", { model: "a/b/c" }],
    ["/engines/{model...}/chat", "/engines/a%2Fb/chat", { model: "a/b" }],
    ["/engines/{model...}/chat", "/engines/chat", null],
    ["/models/{model...}:count", "/models/a/b:8b:count", { model: "a/b:8b" }],
    ["/models/{model...}:count", "/models/a%3Acount:count", { model: "a:count" }],
    ["/models/{model...}:count", "/models/a:recount", null],
    ["/models/{model...}:count", "/models/:count", null],
    ["/x/{a}/y/{b}", "/x/1/y/2", { a: "1", b: "2" }],
    ["/x/{a}", "/x/%zz", null],
    ["/x/{a}", "/x/%ff", null],
    ["/x/{a}", "/x/a%00b", null],
    ["/x.y/{a}", "/xzy/1", null],
    ["/plain", "/plain", {}],
    ["/plain", "/plain/", null],
  ])("%s on %s", (pattern, path, params) => {
    expect(compilePath(pattern).match(path)).toEqual(params as Record<string, string> | null);
  });

  test("that is more exact is tried first", () => {
    const sorted = ["/t/{a...}", "/t/{a}", "/t/{a}/runs", "/t/x"].map(compilePath).sort(moreExactFirst);
    expect(sorted.map((pattern) => pattern.source)).toEqual(["/t/{a}/runs", "/t/x", "/t/{a}", "/t/{a...}"]);
  });

  test("is written for OpenAPI without our mark", () => {
    expect(openApiPath("/engines/{model...}/chat")).toBe("/engines/{model}/chat");
    expect(parameterNames("/x/{a}/y/{b...}")).toEqual(["a", "b"]);
  });
});

test.each([
  ["http://h/a/b?c=d", "/a/b"],
  ["http://h", "/"],
  ["https://h:1/a?b/c", "/a"],
  ["/a/b?c=http://d/e", "/a/b"],
])("the path of %s is %s", (url, path) => {
  expect(pathOf(url)).toBe(path);
});
