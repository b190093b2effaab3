import { expect, test } from "bun:test";
import { hmacBytes, hmacHex } from "./hmac.ts";

test("is HMAC-SHA-256 as its standard has it (RFC 4231, case 2)", () => {
  const expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  expect(hmacHex("Jefe", "what do ya want for nothing?")).toBe(expected);
  expect(hmacBytes("Jefe", "what do ya want for nothing?").toString("hex")).toBe(expected);
});

test("is not disturbed by a key that could not be imported before it", async () => {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const failed = crypto.subtle.importKey("pkcs8", new Uint8Array([48, 130, 1, 2]), algorithm, true, ["sign"]);
  await failed.then(
    () => expect.unreachable(),
    () => undefined,
  );
  expect(() => hmacHex("key", "text")).not.toThrow();
});
