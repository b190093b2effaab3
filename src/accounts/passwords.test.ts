import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { Passwords } from "./passwords.ts";

test("too many at once before the first log-in do not refuse all later ones to accounts that do not exist", async () => {
  const passwords = new Passwords({ memoryCost: 8, timeCost: 1 });
  const many = Array.from({ length: availableParallelism() * 2 + 64 }, () => passwords.hash("a good long one"));
  await passwords.verify("a good long one", null).catch(() => null);
  await Promise.all(many);
  expect(await passwords.verify("a good long one", null)).toBe(false);
});
