import { describe, expect, test } from "bun:test";
import { GatewayError } from "../contract/errors.ts";
import { readControls } from "./controls.ts";

const plain = { read: true, write: true, ttlMs: null, ageMaxMs: null, namespace: null };

describe("what a call says about the cache", () => {
  test.each<[object, string | null, object | null]>([
    [{}, null, {}],
    [{ caching: true }, null, {}],
    [{ caching: false }, null, null],
    [{ caching: false, cache: { "use-cache": true } }, null, null],
    [{ cache: { "use-cache": false } }, null, null],
    [{ cache: { "no-cache": true } }, null, { read: false }],
    [{ cache: { "no-store": true } }, null, { write: false }],
    [{ cache: { "no-cache": true, "no-store": true } }, null, null],
    [{ cache: { ttl: 1.5 } }, null, { ttlMs: 1_500 }],
    [{ cache: { "s-maxage": 5 } }, null, { ageMaxMs: 5_000 }],
    [{ cache: { "s-max-age": 0 } }, null, { ageMaxMs: 0 }],
    [{ cache: { namespace: "mine" } }, null, { namespace: "mine" }],
    [{}, "no-cache", { read: false }],
    [{}, "No-Store", { write: false }],
    [{}, "no-cache, no-store", null],
    [{}, "max-age=7", { ageMaxMs: 7_000 }],
    [{}, 'max-age=7, s-maxage="3"', { ageMaxMs: 3_000 }],
    [{ cache: { "s-maxage": 1 } }, "max-age=7", { ageMaxMs: 1_000 }],
    [{ cache: { "no-cache": false, "no-store": false } }, "no-cache, no-store", {}],
    [{ cache: { "no-cache": null, "no-store": true } }, "no-cache", null],
    [{}, "no-transform, max-stale", {}],
  ])("%j with %p", (fields, header, expected) => {
    expect(readControls({ ...fields }, header, true)).toEqual(expected && { ...plain, ...expected });
  });

  test("has to be asked for where the cache is off by default", () => {
    for (const fields of [{}, { cache: { ttl: 1 } }, { cache: { "use-cache": false } }]) {
      expect(readControls({ ...fields }, null, false)).toBeNull();
    }
    for (const fields of [{ caching: true }, { cache: { "use-cache": true } }]) {
      expect(readControls({ ...fields }, null, false)).toEqual(plain);
    }
  });

  test.each(["max-age=soon", "s-maxage=-1", "max-age=1.5", "max-age"])(
    "in a header that means nothing is 422: %s",
    (header) => {
      expect(() => readControls({}, header, true)).toThrow(GatewayError);
    },
  );
});
