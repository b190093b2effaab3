import { expect, test } from "bun:test";
import fc from "fast-check";
import { encodeVector } from "./embedding-format.ts";

test("floats are given as they are unless base64 is asked for", () => {
  expect(encodeVector([0.1, -2], null)).toEqual([0.1, -2]);
  expect(encodeVector([0.1, -2], undefined)).toEqual([0.1, -2]);
  expect(encodeVector([0.1, -2], "float")).toEqual([0.1, -2]);
});

test("base64 is little-endian float32", () => {
  expect(encodeVector([1, -2], "base64")).toBe("AACAPwAAAMA=");
  expect(encodeVector([], "base64")).toBe("");
});

test("any float32 vector comes back from base64", () => {
  fc.assert(
    fc.property(fc.array(fc.float({ noNaN: true })), (vector) => {
      const bytes = Buffer.from(String(encodeVector(vector, "base64")), "base64");
      expect(vector.map((_, index) => bytes.readFloatLE(index * 4))).toEqual(vector);
    }),
  );
});
