import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SealError, seal, unseal } from "./seal.ts";

const key = new Uint8Array(32).fill(1);
const other = new Uint8Array(32).fill(2);

describe("sealed text", () => {
  test("opens with the same key for the same use, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (text, use) => {
        expect(unseal(key, use, seal(key, use, text))).toBe(text.toWellFormed());
      }),
    );
  });

  test("does not tell what it holds, and never looks the same twice", () => {
    const [first, second] = [seal(key, "totp:1", "JBSWY3DPEHPK3PXP"), seal(key, "totp:1", "JBSWY3DPEHPK3PXP")];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^v1\.[\w-]+$/);
    expect(Buffer.from(first.slice(3), "base64url").toString("latin1")).not.toContain("JBSWY3DP");
  });

  test("does not open with another key, for another use, or when any one byte was changed", () => {
    const sealed = seal(key, "totp:1", "a secret");
    expect(() => unseal(other, "totp:1", sealed)).toThrow(SealError);
    expect(() => unseal(key, "totp:2", sealed)).toThrow(SealError);
    const bytes = Buffer.from(sealed.slice(3), "base64url");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => unseal(key, "totp:1", `v1.${changed.toString("base64url")}`)).toThrow(SealError);
    }
  });

  test.each(["", "v1.", "v1", "v2.AAAA", "v1.AAAA", "a secret", "v1.AAAA.AAAA"])("%j is none", (text) => {
    expect(() => unseal(key, "totp:1", text)).toThrow(SealError);
  });

  test("needs a key of 32 bytes", () => {
    expect(() => seal(new Uint8Array(16), "totp:1", "x")).toThrow("32 bytes");
  });
});
