import { describe, expect, test } from "bun:test";
import {
  ANSWERED,
  countChoices,
  deployment,
  FACTS,
  failed,
  NOBODY,
  type Routing,
  SET,
  startRouting,
  wellOf,
} from "../../../test/gateway/routing.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { RoutingContext } from "./router.ts";

const idOf = ({ router }: Routing, deployments: readonly Deployment[], facts: Partial<RoutingContext> = {}) =>
  router.pick(deployments, NOBODY, { ...FACTS, ...facts })?.deployment.id;

describe("who may serve a call", () => {
  test("what was tried is not tried again, and when all were there is none left", () => {
    const { router } = startRouting();
    const two = [deployment("a"), deployment("b")];
    expect(router.pick(two, new Set(["a"]), FACTS)?.deployment.id).toBe("b");
    expect(router.pick(two, new Set(["a", "b"]), FACTS)).toBeNull();
  });

  test("one that is switched off gets no call; without any other the model is unavailable", () => {
    const routing = startRouting();
    const two = [deployment("a"), deployment("b")];
    routing.router.applySwitches([{ ...SET, enabled: false }]);
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
    expect(() => routing.router.pick([deployment("a")], NOBODY, FACTS)).toThrow("switched off");
  });

  test("the lowest level that has one left is used", () => {
    const routing = startRouting();
    const levels = [deployment("a", { order: 1 }), deployment("b", { order: 2 }), deployment("c")];
    expect(countChoices(routing, levels, 20)).toEqual({ a: 20 });
    expect(routing.router.pick(levels, new Set(["a"]), FACTS)?.deployment.id).toBe("b");
    expect(routing.router.pick(levels, new Set(["a", "b"]), FACTS)?.deployment.id).toBe("c");
  });

  test("at its limit it is passed over; all at their limits is 429 with the soonest time", () => {
    const room: Record<string, number> = { a: 8_000, b: 0 };
    const routing = startRouting("", { roomInMs: ({ id }) => room[id] ?? 0 });
    const two = [deployment("a"), deployment("b")];
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
    room.b = 2_500;
    let thrown: unknown;
    try {
      routing.router.pick(two, NOBODY, FACTS);
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toMatchObject({ kind: "rate_limit", headers: { "retry-after": "3" } });
    expect(routing.router.pick(two, new Set(["c"]), FACTS)).toBeNull();
  });
});

describe("checks before the call", () => {
  const limits: Record<string, number | null> = { small: 50, large: 1_000, unknown: null };
  const routing = (settings = "enable_pre_call_checks: true") =>
    startRouting(settings, {
      limitsOf: ({ id }) => ({ maxInputTokens: limits[id] ?? null, supportsResponseSchema: id !== "small" }),
    });

  test("a prompt goes where it fits, and nowhere where it fits nowhere", () => {
    const both = [deployment("small"), deployment("large")];
    expect(countChoices(routing(), both, 20)).toEqual({ large: 20 });
    expect(() => idOf(routing(), both, { promptTokens: () => 5_000 })).toThrow("more than any deployment");
    expect(idOf(routing(), [deployment("small"), deployment("unknown")], { promptTokens: () => 5_000 })).toBe(
      "unknown",
    );
  });

  test("a prompt is only measured where a limit is known, and only where checks are on", () => {
    const promptTokens = () => {
      throw new Error("measured");
    };
    expect(idOf(routing(), [deployment("unknown")], { promptTokens })).toBe("unknown");
    expect(idOf(routing("enable_pre_call_checks: false"), [deployment("small")], { promptTokens })).toBe("small");
  });

  test("a call stays in its region", () => {
    const both = [deployment("eu", { region_name: "eu" }), deployment("us", { region_name: "us" })];
    expect(countChoices(routing(), both, 20, { region: "eu" })).toEqual({ eu: 20 });
    expect(() => idOf(routing(), both, { region: "mars" })).toThrow("region `mars`");
  });

  test("an answer by a schema is asked of who can give one", () => {
    expect(countChoices(routing(), [deployment("small"), deployment("large")], 20, { schema: true })).toEqual({
      large: 20,
    });
  });
});

describe("tags", () => {
  const tagged = [
    deployment("free", { tags: ["free"] }),
    deployment("both", { tags: ["free", "paid"] }),
    deployment("rest", { tags: ["default"] }),
  ];
  const on = "enable_tag_filtering: true";

  test.each([
    ["one common tag is enough", on, ["paid"], ["both"]],
    ["of several tags one is enough", on, ["free", "paid"], ["free", "both"]],
    ["or all have to be there", `${on}\ntag_filtering_match_any: false`, ["free", "paid"], ["both"]],
    ["tags that nobody has go to the default", on, ["other"], ["rest"]],
    ["and so do calls without tags", on, [], ["rest"]],
    ["without the setting tags mean nothing", "", ["paid"], ["free", "both", "rest"]],
  ])("%s", (_, settings, tags, expected) => {
    const counts = countChoices(startRouting(settings), tagged, 60, { tags });
    expect(Object.keys(counts).sort()).toEqual([...expected].sort());
  });

  test("without a default, tags that nobody has are refused", () => {
    expect(() => idOf(startRouting(on), tagged.slice(0, 2), { tags: ["other"] })).toThrow("tags");
  });
});

describe("cooldown", () => {
  const two = [deployment("a"), deployment("b")];
  const fail = (
    { router }: Routing,
    id: string,
    kind: Parameters<typeof failed>[0],
    retryAfterMs: number | null = null,
  ) => {
    const others = new Set(two.map((one) => one.id).filter((other) => other !== id));
    router.pick(two, others, FACTS)?.end(failed(kind, retryAfterMs));
  };

  test("five failures in a row rest it for the cooldown time; then one call probes it", () => {
    const routing = startRouting("cooldown_time: 5");
    for (let time = 0; time < 5; time++) fail(routing, "a", "upstream");
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
    routing.clock.step(5_000);
    const probe = routing.router.pick(two, NOBODY, FACTS);
    expect(probe?.deployment.id).toBe("a");
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
    probe?.end(ANSWERED);
    expect(Object.keys(countChoices(routing, two, 40)).sort()).toEqual(["a", "b"]);
  });

  test("a probe that fails rests it for twice the time", () => {
    const routing = startRouting("cooldown_time: 5");
    for (let time = 0; time < 5; time++) fail(routing, "a", "upstream");
    routing.clock.step(5_000);
    routing.router.pick(two, NOBODY, FACTS)?.end(failed("connection"));
    routing.clock.step(9_999);
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
    routing.clock.step(1);
    expect(routing.router.pick(two, NOBODY, FACTS)?.deployment.id).toBe("a");
  });

  test("while a probe's answer comes in it is back, and the first failure ends that", () => {
    const routing = startRouting("cooldown_time: 5\nrouting_strategy: simple-shuffle");
    for (let time = 0; time < 5; time++) fail(routing, "a", "upstream");
    routing.clock.step(5_000);
    const probe = routing.router.pick(two, NOBODY, FACTS);
    const early = routing.router.pick(two, new Set(["b"]), FACTS);
    expect(early).toBeNull();
    probe?.firstByte();
    routing.clock.step(60_000);
    const others = Array.from({ length: 40 }, () => routing.router.pick(two, NOBODY, FACTS));
    const there = others.filter((other) => other?.deployment.id === "a");
    expect(there.length).toBeGreaterThan(5);
    expect(there.length).toBeLessThan(35);
    there[0]?.end(failed("upstream"));
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
    // What began before speaks neither for it nor against it.
    there[1]?.end(failed("upstream"));
    probe?.end(ANSWERED);
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
    routing.clock.step(10_000);
    expect(routing.router.pick(two, NOBODY, FACTS)?.deployment.id).toBe("a");
  });

  test("a probe that breaks off after its first byte rests it for twice the time", () => {
    const routing = startRouting("cooldown_time: 5");
    for (let time = 0; time < 5; time++) fail(routing, "a", "upstream");
    routing.clock.step(5_000);
    const probe = routing.router.pick(two, NOBODY, FACTS);
    probe?.firstByte();
    probe?.end(failed("upstream"));
    routing.clock.step(9_999);
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
  });

  test("a probe whose caller left says nothing, and another may follow", () => {
    const routing = startRouting();
    fail(routing, "a", "upstream_authentication");
    routing.clock.step(5_000);
    routing.router.pick(two, NOBODY, FACTS)?.end({ ...ANSWERED, ok: false });
    expect(routing.router.pick(two, NOBODY, FACTS)?.deployment.id).toBe("a");
  });

  test("429 rests it at once, for as long as the upstream says", () => {
    const routing = startRouting();
    fail(routing, "a", "rate_limit", 40_000);
    routing.clock.step(39_999);
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
    routing.clock.step(1);
    expect(routing.router.pick(two, NOBODY, FACTS)?.deployment.id).toBe("a");
  });

  test("when all asked to be left alone, callers are told when to come back", () => {
    const routing = startRouting();
    fail(routing, "a", "rate_limit", 40_000);
    fail(routing, "b", "rate_limit", 20_000);
    expect(() => routing.router.pick(two, NOBODY, FACTS)).toThrow("try again in 20 seconds");
  });

  test("nobody is refused for longer than the upstream asked for, however long the rest has become", () => {
    const routing = startRouting("cooldown_time: 60");
    for (const id of ["a", "b"]) fail(routing, id, "rate_limit", 2_000);
    routing.clock.step(1_999);
    expect(() => routing.router.pick(two, NOBODY, FACTS)).toThrow("try again in 1 second.");
    routing.clock.step(1);
    expect(routing.router.pick(two, NOBODY, FACTS)).not.toBeNull();
  });

  test("where none is well one is tried all the same, and one that answers is well again", () => {
    const routing = startRouting();
    for (const id of ["a", "b"]) for (let time = 0; time < 5; time++) fail(routing, id, "upstream");
    expect(wellOf(routing, two)).toEqual([]);
    routing.clock.step(1);
    const attempt = routing.router.pick(two, NOBODY, FACTS);
    attempt?.end(ANSWERED);
    expect(wellOf(routing, two)).toEqual([attempt?.deployment.id ?? ""]);
    expect(routing.router.pick(two, new Set([attempt?.deployment.id ?? ""]), FACTS)).toBeNull();
  });

  test.each(["invalid_request", "context_window", "content_policy", "unsupported_params", "internal"] as const)(
    "%s never counts against it",
    (kind) => {
      const routing = startRouting("allowed_fails: 0");
      for (let time = 0; time < 50; time++) fail(routing, "a", kind);
      expect(wellOf(routing, two)).toEqual(["a", "b"]);
    },
  );

  test("with a number of failures allowed, the next one within the minute is too many", () => {
    const routing = startRouting("allowed_fails: 2");
    fail(routing, "a", "rate_limit");
    fail(routing, "a", "upstream");
    expect(wellOf(routing, two)).toEqual(["a", "b"]);
    routing.clock.step(60_000);
    fail(routing, "a", "upstream");
    fail(routing, "a", "upstream");
    expect(wellOf(routing, two)).toEqual(["a", "b"]);
    fail(routing, "a", "upstream");
    expect(wellOf(routing, two)).toEqual(["b"]);
  });

  test("a policy counts by the kind of error", () => {
    const routing = startRouting(
      "allowed_fails_policy:\n  RateLimitErrorAllowedFails: 100\n  TimeoutErrorAllowedFails: 0",
    );
    fail(routing, "a", "rate_limit");
    expect(wellOf(routing, two)).toEqual(["a", "b"]);
    fail(routing, "b", "timeout");
    expect(wellOf(routing, two)).toEqual(["a"]);
  });

  test("more than every second call failing is too much, a few in a hundred are not", () => {
    const mixed = (fails: number, calls: number): readonly string[] => {
      const routing = startRouting();
      const only = new Set(["b"]);
      for (let call = 0; call < calls; call++) {
        routing.router.pick(two, only, FACTS)?.end((call * 7) % 10 < fails ? failed("upstream") : ANSWERED);
      }
      return wellOf(routing, two);
    };
    expect(mixed(4, 100)).toEqual(["a", "b"]);
    expect(mixed(6, 100)).toEqual(["b"]);
  });

  test("switched off, nothing rests; and models behind a pattern never do", () => {
    const off = startRouting("disable_cooldowns: true");
    const wild = [deployment("a", {}, "openai/*"), deployment("b", {}, "openai/*")];
    for (let time = 0; time < 50; time++) {
      fail(off, "a", "rate_limit", 60_000);
      off.router.pick(wild, new Set(["b"]), FACTS)?.end(failed("upstream"));
    }
    expect(wellOf(off, two)).toEqual(["a", "b"]);
    const on = startRouting();
    for (let time = 0; time < 50; time++) on.router.pick(wild, new Set(["b"]), FACTS)?.end(failed("upstream"));
    expect(wellOf(on, wild)).toEqual(["a", "b"]);
  });

  test("however often it fails, it is probed again within five minutes", () => {
    const routing = startRouting("cooldown_time: 30");
    fail(routing, "a", "upstream_authentication");
    for (let round = 0; round < 20; round++) {
      routing.clock.step(300_000);
      const probe = routing.router.pick(two, NOBODY, FACTS);
      expect(probe?.deployment.id).toBe("a");
      probe?.end(failed("rate_limit", 86_400_000));
    }
  });

  test("a cooldown that is longer than five minutes is as long as it says, and no longer", () => {
    const routing = startRouting("cooldown_time: 900");
    fail(routing, "a", "upstream_authentication");
    routing.clock.step(899_999);
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
    routing.clock.step(1);
    expect(routing.router.pick(two, NOBODY, FACTS)?.deployment.id).toBe("a");
  });

  test("an ending counts once", () => {
    const { router } = startRouting();
    const attempt = router.pick([deployment("a")], NOBODY, FACTS);
    for (let time = 0; time < 9; time++) attempt?.end(failed("upstream"));
    expect(router.stateOf("a")).toMatchObject({ inFlight: 0, failures: 1 });
  });
});

describe("an operator's hand", () => {
  const two = [deployment("a"), deployment("b")];

  test("rests a deployment until a time, and ends the rest", () => {
    const routing = startRouting();
    const now = routing.clock.nowMs();
    routing.router.applySwitches([{ ...SET, restUntil: now + 9_000, updatedAt: 1 }]);
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
    routing.router.applySwitches([{ ...SET, clearedAt: now, updatedAt: 2 }]);
    expect(wellOf(routing, two)).toEqual(["a", "b"]);
    routing.router.applySwitches([{ ...SET, restUntil: now + 9_000, updatedAt: 3 }]);
    routing.clock.step(9_000);
    expect(Object.keys(countChoices(routing, two, 40)).sort()).toEqual(["a", "b"]);
  });

  test("ends a rest that failures began, once: later failures begin another", () => {
    const routing = startRouting();
    const rest = () => routing.router.pick(two, new Set(["b"]), FACTS)?.end(failed("upstream_authentication"));
    rest();
    const cleared = { ...SET, clearedAt: routing.clock.nowMs(), updatedAt: 5 };
    routing.router.applySwitches([cleared]);
    expect(wellOf(routing, two)).toEqual(["a", "b"]);
    rest();
    routing.router.applySwitches([cleared, { ...SET, deploymentId: "b", weight: 2, updatedAt: 6 }]);
    expect(wellOf(routing, two)).toEqual(["b"]);
  });

  test("also rests models behind a pattern, which come back whatever their first call does", () => {
    const routing = startRouting();
    const wild = [deployment("a", {}, "openai/*"), deployment("b", {}, "openai/*")];
    routing.router.applySwitches([{ ...SET, restUntil: routing.clock.nowMs() + 9_000 }]);
    expect(countChoices(routing, wild, 20)).toEqual({ b: 20 });
    routing.clock.step(9_000);
    routing.router.pick(wild, NOBODY, FACTS)?.end(failed("upstream"));
    expect(wellOf(routing, wild)).toEqual(["a", "b"]);
  });

  test("holds for deployments that are first seen later", () => {
    const routing = startRouting();
    routing.router.applySwitches([{ ...SET, deploymentId: "later", enabled: false }]);
    expect(countChoices(routing, [deployment("later"), deployment("b")], 20)).toEqual({ b: 20 });
    routing.router.applySwitches([]);
    expect(Object.keys(countChoices(routing, [deployment("later"), deployment("b")], 40)).length).toBe(2);
  });

  test("what a check found unwell is passed over where another is well, and used where none is", () => {
    const routing = startRouting();
    routing.router.noteCheck("a", false, 10);
    expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
    routing.router.noteCheck("b", false, 10);
    // The first that answers a caller is well again, and has the rest.
    expect(Object.values(countChoices(routing, two, 40))).toEqual([40]);
    routing.router.noteCheck("b", false, 10);
    routing.router.noteCheck("a", true, 10);
    expect(countChoices(routing, two, 20)).toEqual({ a: 20 });
  });
});

test("thousands of deployments are not looked through for each new one, and idle ones are forgotten", () => {
  const { router, clock } = startRouting();
  const many = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => deployment(`d${first + index}`));
  let looks = 0;
  const monotonicMs = clock.monotonicMs.bind(clock);
  clock.monotonicMs = () => {
    looks++;
    return monotonicMs();
  };
  // Each new state asks once what time it is; so does each look at all of them.
  router.pick(many(0, 12_000), NOBODY, FACTS);
  expect(looks).toBeLessThan(12_010);
  const before = router.stateOf("d0");
  clock.step(3 * 3_600_000);
  router.pick(many(20_000, 12_000), NOBODY, FACTS);
  expect(router.stateOf("d0")).not.toBe(before);
});
