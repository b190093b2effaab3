import { expect, test } from "bun:test";
import { isPlausibleKey, newKey } from "./key-format.ts";

test("a new key has 256 bits and a checksum", () => {
  const key = newKey();
  expect(key).toMatch(/^sk-[0-9A-Za-z]{49}$/);
  expect(isPlausibleKey(key)).toBe(true);
  expect(newKey()).not.toBe(key);
});

test("one wrong character anywhere is noticed without a look-up", () => {
  const key = newKey();
  for (let index = 3; index < key.length; index++) {
    const other = key[index] === "a" ? "b" : "a";
    expect(isPlausibleKey(key.slice(0, index) + other + key.slice(index + 1))).toBe(false);
  }
});

test("keys from elsewhere are let through to the look-up", () => {
  expect(isPlausibleKey("sk-1234")).toBe(true);
  expect(isPlausibleKey("pk-1234")).toBe(false);
});
