import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { publicAddress } from "../../contract/public-address.ts";
import { isSecretName, maskSecrets, secretsOf } from "./mask-secrets.ts";

describe("a name", () => {
  test.each(["api_key", "apiKey", "OPENAI_API_KEY", "x-api-key", "authToken", "client_secret", "Authorization", "sig"])(
    "%s may be a secret's",
    (name) => {
      expect(isSecretName(name)).toBe(true);
    },
  );
  test.each(["max_tokens", "input_cost_per_token", "access_groups", "model", "keyboard", "temperature"])(
    "%s is not",
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );
});

test.each([
  ["https://host/v1", "https://host/v1"],
  ["https://host/", "https://host"],
  ["https://me:pw@host:8/v1?api-version=2&sig=x#frag", "https://****@host:8/v1?api-version=2&sig=****"],
  ["https://host/0a1b2c3d4e5f6a7b8c9d/v1", "https://host/****/v1"],
  ["echo://offline/v1", "echo://offline/v1"],
  ["not an address", "****"],
])("%s is shown as %s", (address, shown) => {
  expect(publicAddress(address)).toBe(shown);
});

test("a secret is masked wherever it stands, at any depth", () => {
  const secret = fc.string({ minLength: 8, maxLength: 30, unit: fc.constantFrom(..."abcXYZ0189") });
  fc.assert(
    fc.property(secret, fc.jsonValue(), (apiKey, other) => {
      const params = {
        a: [{ b: `before ${apiKey} after` }],
        extra_headers: { any: apiKey },
        c: { password: apiKey },
        other,
      };
      const shown = maskSecrets(params, secretsOf({ apiKey, params }));
      expect(JSON.stringify(shown)).not.toContain(`"${apiKey}"`);
      expect(JSON.stringify(shown)).not.toContain(`before ${apiKey}`);
    }),
  );
});
