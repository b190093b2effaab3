import { describe, expect, test } from "bun:test";
import { type AwsSigning, signAws } from "./aws-sign.ts";

// The published test suite of Signature Version 4 signs with these.
const SUITE: AwsSigning = {
  kind: "aws",
  service: "service",
  region: "us-east-1",
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: null,
};
const SUITE_TIME = new Date("2015-08-30T12:36:00Z");
const SUITE_TOKEN =
  "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

const authorization = (signedHeaders: string, signature: string): string =>
  `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signature}`;

describe("AWS's published vectors", () => {
  const base = { url: "https://example.amazonaws.com/", headers: {}, body: null };

  test("get-vanilla", async () => {
    const headers = await signAws({ ...base, method: "GET" }, SUITE, SUITE_TIME);
    expect(headers).toEqual({
      "x-amz-date": "20150830T123600Z",
      authorization: authorization(
        "host;x-amz-date",
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
      ),
    });
  });

  test("get-vanilla-query-order-key-case", async () => {
    const url = "https://example.amazonaws.com/?Param2=value2&Param1=value1";
    const headers = await signAws({ ...base, url, method: "GET" }, SUITE, SUITE_TIME);
    expect(headers.authorization).toEndWith("b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
  });

  test("post-vanilla", async () => {
    const headers = await signAws({ ...base, method: "POST" }, SUITE, SUITE_TIME);
    expect(headers.authorization).toBe(
      authorization("host;x-amz-date", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    );
  });

  test("post-x-www-form-urlencoded", async () => {
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const expected = authorization(
      "content-type;host;x-amz-date",
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    );
    for (const body of ["Param1=value1", new TextEncoder().encode("Param1=value1")]) {
      const headers = await signAws({ ...base, method: "POST", headers: form, body }, SUITE, SUITE_TIME);
      expect(headers.authorization).toBe(expected);
    }
  });

  test("post-sts-header-before", async () => {
    const headers = await signAws({ ...base, method: "POST" }, { ...SUITE, sessionToken: SUITE_TOKEN }, SUITE_TIME);
    expect(headers["x-amz-security-token"]).toBe(SUITE_TOKEN);
    expect(headers.authorization).toBe(
      authorization(
        "host;x-amz-date;x-amz-security-token",
        "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
      ),
    );
  });
});

/** The signature as AWS's specification words it, for an address whose path is already escaped once. */
function specifiedSignature(path: string, body: string, signing: AwsSigning, stamp: string): string {
  const hash = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
  const hmac = (key: string | Uint8Array, text: string) =>
    new Uint8Array(new Bun.CryptoHasher("sha256", key).update(text).digest());
  const escapedTwice = path
    .split("/")
    .map((segment) => encodeURIComponent(segment))
    .join("/");
  const host = `bedrock-runtime.${signing.region}.amazonaws.com`;
  const canonical = `POST\n${escapedTwice}\n\ncontent-type:application/json\nhost:${host}\nx-amz-date:${stamp}\n\ncontent-type;host;x-amz-date\n${hash(body)}`;
  const day = stamp.slice(0, 8);
  const scope = `${day}/${signing.region}/${signing.service}/aws4_request`;
  const key = [day, signing.region, signing.service, "aws4_request"].reduce<string | Uint8Array>(
    (secret, part) => hmac(secret, part),
    `AWS4${signing.secretAccessKey}`,
  );
  return Buffer.from(hmac(key, `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${hash(canonical)}`)).toString("hex");
}

describe("a Bedrock request", () => {
  const signing: AwsSigning = { ...SUITE, service: "bedrock", region: "eu-central-1" };

  test.each([
    "anthropic.claude-3-5-sonnet-20241022-v2:0",
    "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-20250514-v1:0",
    "amazon.titan-embed-text-v2:0",
    "name with space, (brackets) and 'quotes'*",
  ])("escapes the path of %s twice in what it signs", async (model) => {
    const path = `/model/${encodeURIComponent(model).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}/converse`;
    const headers = await signAws(
      {
        method: "POST",
        url: `https://bedrock-runtime.eu-central-1.amazonaws.com${path}`,
        headers: { "content-type": "application/json", accept: "application/json", traceparent: "00-1-2-00" },
        body: '{"messages":[]}',
      },
      signing,
      new Date("2025-02-03T04:05:06.789Z"),
    );
    expect(headers).toEqual({
      "content-type": "application/json",
      accept: "application/json",
      traceparent: "00-1-2-00",
      "x-amz-date": "20250203T040506Z",
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20250203/eu-central-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=${specifiedSignature(path, '{"messages":[]}', signing, "20250203T040506Z")}`,
    });
  });

  test("is signed anew when the credential or the day changes, although derived keys are kept", async () => {
    const request = { method: "POST", url: "https://example.amazonaws.com/", headers: {}, body: "{}" };
    const first = await signAws(request, signing, SUITE_TIME);
    const other = await signAws(request, { ...signing, secretAccessKey: "another" }, SUITE_TIME);
    const later = await signAws(request, signing, new Date("2015-08-31T12:36:00Z"));
    const again = await signAws(request, signing, SUITE_TIME);
    expect(new Set([first, other, later].map((headers) => headers.authorization)).size).toBe(3);
    expect(again).toEqual(first);
  });
});
