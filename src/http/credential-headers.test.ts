import { describe, expect, test } from "bun:test";
import { findKey } from "./credential-headers.ts";

const OPEN = { headers: ["x-gw-api-key", "authorization", "x-api-key", "api-key"] };
const HOSTED = { headers: ["x-gw-api-key"] };

describe("a key", () => {
  test.each([
    [OPEN, { "x-gw-api-key": "sk-a" }, "sk-a"],
    [OPEN, { "x-gw-api-key": "Bearer sk-a" }, "sk-a"],
    [OPEN, { authorization: "Bearer sk-a" }, "sk-a"],
    [OPEN, { authorization: "bearer   sk-a" }, "sk-a"],
    [OPEN, { "x-api-key": "sk-a" }, "sk-a"],
    [OPEN, { "api-key": "sk-a" }, "sk-a"],
    [OPEN, { authorization: "Bearer sk-a", "x-api-key": "sk-a" }, "sk-a"],
    [OPEN, {}, null],
    [HOSTED, { authorization: "Bearer sk-a" }, null],
    [HOSTED, { "x-gw-api-key": "sk-a", authorization: "Bearer whatever" }, "sk-a"],
  ])("is found, %#", (settings, headers, key) => {
    expect(findKey(new Headers(headers as Record<string, string>), settings)).toBe(key);
  });

  test.each([
    [{ authorization: "Basic c2stYQ==" }],
    [{ authorization: "sk-a" }],
    [{ authorization: "Bearer" }],
    [{ authorization: "Bearer token" }],
    [{ authorization: "Bearer sk-a sk-b" }],
    [{ "x-gw-api-key": "" }],
    [{ "x-gw-api-key": "token" }],
    [{ "x-gw-api-key": "sk-a", authorization: "Bearer sk-b" }],
    [{ "x-gw-api-key": "sk-a", authorization: "Basic x" }],
  ])("is refused when malformed or doubled, %#", (headers) => {
    expect(() => findKey(new Headers(headers as Record<string, string>), OPEN)).toThrow();
  });

  test("may come in the address, and is then the only one", () => {
    expect(findKey(new Headers(), OPEN, "sk-a")).toBe("sk-a");
    expect(findKey(new Headers({ "x-api-key": "sk-a" }), OPEN, "sk-a")).toBe("sk-a");
    expect(() => findKey(new Headers({ "x-api-key": "sk-b" }), OPEN, "sk-a")).toThrow("Two different keys");
    expect(() => findKey(new Headers(), OPEN, "token")).toThrow("begins with");
  });
});
