import { expect, test } from "bun:test";
import { decodeUtf8, ownField, parseJson, textOf } from "./json.ts";

test("a __proto__ key is left out at every depth, however it is spelled", () => {
  const parsed = parseJson(
    '{"a":1,"__proto__":{"admin":true},"b":{"\\u005f_proto__":{"admin":true},"\\u005F\\u005fproto__":1,"c":2}}',
  );
  expect(JSON.stringify(parsed)).toBe('{"a":1,"b":{"c":2}}');
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
});

test("of a duplicate key the last one stays", () => {
  expect(parseJson('{"model":"a","model":"b"}')).toEqual({ model: "b" });
});

test("what is nested past any use is refused, what real requests need is not", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  expect(() => parseJson(nested(200))).not.toThrow();
  expect(() => parseJson(nested(201))).toThrow(RangeError);
  expect(() => parseJson(`{"a":${nested(100_000)}}`)).toThrow(RangeError);
  expect(() => parseJson(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`)).toThrow(RangeError);
});

test("text that only mentions __proto__ is kept", () => {
  expect(parseJson('{"content":"what is __proto__?"}')).toEqual({ content: "what is __proto__?" });
});

test.each([
  ["a lone continuation byte", [0x22, 0x80, 0x22]],
  ["an overlong slash", [0x22, 0xc0, 0xaf, 0x22]],
  ["UTF-16", [0xff, 0xfe, 0x7b, 0x00]],
  ["a surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
])("%s is not UTF-8", (_, bytes) => {
  expect(() => decodeUtf8(new Uint8Array(bytes))).toThrow(TypeError);
});

test("text and numbers are text, and nothing else is", () => {
  expect([textOf("a"), textOf(""), textOf("__proto__"), textOf(1.5), textOf(-0)]).toEqual([
    "a",
    "",
    "__proto__",
    "1.5",
    "0",
  ]);
  const others = [null, undefined, true, [], ["a"], {}, { toString: "" }, { toString: 1 }, { toString: () => "a" }];
  for (const value of [...others, Object.create(null)]) expect(textOf(value)).toBeNull();
});

test("a field is found only where it was written", () => {
  expect(["constructor", "__proto__", "toString", "a"].map((name) => ownField({ a: 1 }, name))).toEqual([
    ...[undefined, undefined, undefined],
    1,
  ]);
});
