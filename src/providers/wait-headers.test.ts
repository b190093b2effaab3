import { expect, test } from "bun:test";
import { waitHeaders } from "./wait-headers.ts";

const told = (headers: Record<string, string>, body: unknown = {}, status = 429) =>
  waitHeaders({ status, headers: new Headers(headers), body: JSON.stringify(body) });
const google = (retryDelay: unknown) => ({
  error: {
    code: 429,
    details: [
      { "@type": "type.googleapis.com/google.rpc.QuotaFailure" },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay },
    ],
  },
});

test("what a caller knows passes as it is, whatever its form", () => {
  expect(told({ "retry-after": "17" })).toEqual({ "retry-after": "17" });
  expect(told({ "retry-after": "1.5" })).toEqual({ "retry-after": "1.5" });
  expect(told({ "retry-after": "Wed, 21 Oct 2099 07:28:00 GMT" })["retry-after"]).toContain("2099");
  expect(told({ "retry-after-ms": "250" }, google("9s"))).toEqual({ "retry-after-ms": "250" });
  expect(told({ "retry-after": "<script>" })).toEqual({});
});

test("what nobody can act on is not passed on, and nobody is told to wait for more than a day", () => {
  for (const odd of ["-5", "abc", "1e9", "Infinity", "NaN", "1, 2", "Wed", "2, 3 GMT"]) {
    expect(told({ "retry-after": odd, "retry-after-ms": odd })).toEqual({});
    expect(told({ "retry-after": odd }, google("9s"))).toEqual({ "retry-after": "9" });
  }
  expect(told({ "retry-after": "9".repeat(20), "retry-after-ms": "9".repeat(20) })).toEqual({
    "retry-after": "86400",
    "retry-after-ms": "86400000",
  });
  expect(told({ "retry-after": "0" })).toEqual({ "retry-after": "0" });
});

test("Google's delay becomes a header, rounded up", () => {
  expect(told({}, google("38.5s"))).toEqual({ "retry-after": "39" });
  expect(told({}, [google("38s")])).toEqual({ "retry-after": "38" });
  expect(told({}, google("0.2s"), 503)).toEqual({ "retry-after": "1" });
  for (const odd of ["soon", "-5s", "1e9s", 5, null, "s"]) expect(told({}, google(odd))).toEqual({});
});

test("a limit that is spent says when there is more of it", () => {
  const openai = (left: string, reset: string) =>
    told({ "x-ratelimit-remaining-tokens": left, "x-ratelimit-reset-tokens": reset });
  expect(openai("0", "6m0s")).toEqual({ "retry-after": "360" });
  expect(openai("0", "120ms")).toEqual({ "retry-after": "1" });
  expect(openai("0", "12")).toEqual({ "retry-after": "12" });
  expect(openai("5", "12")).toEqual({});
  expect(openai("0", "1741305600000")).toEqual({});
  const anthropic = {
    "anthropic-ratelimit-requests-remaining": "3",
    "anthropic-ratelimit-requests-reset": "2099-01-01T00:00:00Z",
    "anthropic-ratelimit-output-tokens-remaining": "0",
    "anthropic-ratelimit-output-tokens-reset": "2099-10-21T07:28:00Z",
  };
  expect(told(anthropic)).toEqual({ "retry-after": "Wed, 21 Oct 2099 07:28:00 GMT" });
});

test("of several limits that are spent the one counts that lasts longest", () => {
  const spent = (requests: Record<string, string>, tokens: string) =>
    told({
      "x-ratelimit-remaining-requests": "0",
      ...requests,
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": tokens,
    });
  expect(spent({ "x-ratelimit-reset-requests": "1s" }, "6m0s")).toEqual({ "retry-after": "360" });
  expect(spent({ "x-ratelimit-reset-requests": "9s" }, "2s")).toEqual({ "retry-after": "9" });
  expect(spent({}, "30s")).toEqual({ "retry-after": "30" });
});

test("a failure that is no limit says nothing", () => {
  expect(told({ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "9s" }, {}, 400)).toEqual({});
});
