import { expect, test } from "bun:test";
import type { Counted } from "../../limits/meter.ts";
import { deploymentAtCapacity, limitError, limitHeaders, meterHeaders } from "./limit-headers.ts";

const refusal = (counted: Counted, limit: number) => {
  const meter = { id: "x", counted, limit, owner: { scope: "key", model: null }, headers: null };
  return limitError({ admitted: false, meter, retryMs: 1000, states: [] }).message;
};

test.each([
  ["parallel", 1, "1 call at one time"],
  ["parallel", 2, "2 calls at one time"],
  ["requests", 1, "1 request a minute"],
  ["tokens", 60, "60 tokens a minute"],
] as const)("a limit of %s, %i, is told as one would say it", (counted, limit, words) => {
  expect(refusal(counted, limit)).toBe(`Rate limit exceeded for this key: ${words}. Try again in 1 second.`);
});

test("a group without room says how long to wait", () => {
  expect(deploymentAtCapacity("large", 900).message).toEndWith("try again in 1 second.");
  expect(deploymentAtCapacity("large", 1100).message).toEndWith("try again in 2 seconds.");
});

test("of limits that are as tight the narrowest is told, a wider one only where it is tighter", () => {
  const state = (scope: string, remaining: number) => {
    const [owner, counted, limit] = [{ scope, model: null }, "requests" as const, 10];
    const meter = { id: scope, counted, limit, owner, headers: meterHeaders(owner, counted, limit) };
    return { meter, remaining, resetMs: 1000 };
  };
  const namesOf = (headers: Record<string, string>) =>
    Object.keys(headers).filter((name) => /^x-ratelimit-[a-z_]+-(limit|remaining)-/.test(name));
  const own = ["x-ratelimit-api_key-limit-requests", "x-ratelimit-api_key-remaining-requests"];
  expect(namesOf(limitHeaders([state("organization", 5), state("team", 5), state("key", 5)]))).toEqual(own);
  const tighter = limitHeaders([state("organization", 4), state("team", 5), state("key", 5)]);
  expect(namesOf(tighter)).toEqual([
    ...own,
    "x-ratelimit-organization-limit-requests",
    "x-ratelimit-organization-remaining-requests",
  ]);
  expect(tighter["x-ratelimit-remaining-requests"]).toBe("4");
});
