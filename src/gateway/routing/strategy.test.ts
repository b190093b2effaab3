import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  ANSWERED,
  countChoices,
  deployment,
  FACTS,
  failed,
  NOBODY,
  type Routing,
  routerConfig,
  SET,
  startRouting,
  wellOf,
} from "../../../test/gateway/routing.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { viewGroup } from "./group-snapshot.ts";
import { promptPrefix as prefixOf } from "./prompt-prefix.ts";
import type { Try } from "./router.ts";

const three = [deployment("a"), deployment("b"), deployment("c")];

/** Starts a call at one of them, whatever the strategy would say. */
function begin({ router }: Routing, all: readonly Deployment[], id: string, stream = true): Try {
  const others = new Set(all.map((one) => one.id).filter((other) => other !== id));
  const attempt = router.pick(all, others, { ...FACTS, stream });
  if (!attempt) throw new Error(`${id} cannot be picked`);
  return attempt;
}

function answerAfter(routing: Routing, all: readonly Deployment[], id: string, ms: number, tokens = 10, stream = true) {
  const attempt = begin(routing, all, id, stream);
  routing.clock.step(ms);
  attempt.firstByte();
  attempt.end({ ...ANSWERED, completionTokens: tokens, promptTokens: tokens });
}

const about = (count: number, expected: number) => Math.abs(count - expected) < expected * 0.1;

describe("simple-shuffle", () => {
  test.each([
    ["no share", {}, {}, 1 / 2],
    ["weights", { weight: 3 }, { weight: 1 }, 3 / 4],
    ["requests a minute", { rpm: 10 }, { rpm: 30 }, 1 / 4],
    ["tokens a minute", { tpm: 9000 }, { tpm: 3000 }, 3 / 4],
    ["weights before requests", { weight: 1, rpm: 900 }, { weight: 3, rpm: 1 }, 1 / 4],
  ])("shares calls by %s", (_, a, b, expected) => {
    const counts = countChoices(startRouting(), [deployment("a", a), deployment("b", b)], 10_000);
    expect(about(counts.a ?? 0, 10_000 * expected)).toBe(true);
  });

  test("a weight of zero gets nothing, unless all have it", () => {
    const routing = startRouting();
    const zero = deployment("a", { weight: 0 });
    expect(countChoices(routing, [zero, deployment("b", { weight: 1 })], 100)).toEqual({ b: 100 });
    expect(Object.keys(countChoices(routing, [zero, deployment("b", { weight: 0 })], 100)).sort()).toEqual(["a", "b"]);
    expect(routing.router.pick([zero, deployment("b", { weight: 1 })], new Set(["b"]), FACTS)?.deployment.id).toBe("a");
  });

  test("a weight that an operator sets holds from the next call", () => {
    const routing = startRouting();
    const two = [deployment("a"), deployment("b")];
    countChoices(routing, two, 10);
    routing.router.applySwitches([{ ...SET, weight: 0 }]);
    expect(countChoices(routing, two, 100)).toEqual({ b: 100 });
  });
});

describe("least-busy", () => {
  test("the one with the fewest calls in flight is next", () => {
    const routing = startRouting("routing_strategy: least-busy");
    begin(routing, three, "a");
    begin(routing, three, "c");
    expect(countChoices(routing, three, 50)).toEqual({ b: 50 });
  });

  test("however calls begin and end, none has more than one more than another", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (calls) => {
        const { router } = startRouting("routing_strategy: least-busy");
        for (let call = 0; call < calls; call++) router.pick(three, NOBODY, FACTS);
        const counts = three.map(({ id }) => router.stateOf(id).inFlight);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 30 },
    );
  });
});

describe.each(["usage-based-routing", "usage-based-routing-v2"])("%s", (strategy) => {
  test("the one with the fewest tokens this minute is next", () => {
    const routing = startRouting(`routing_strategy: ${strategy}`);
    answerAfter(routing, three, "a", 0, 500);
    answerAfter(routing, three, "b", 0, 300);
    expect(routing.router.pick(three, NOBODY, FACTS)?.deployment.id).toBe("c");
    answerAfter(routing, three, "c", 0, 900);
    expect(routing.router.pick(three, NOBODY, FACTS)?.deployment.id).toBe("b");
  });

  test("a new minute begins with nothing", () => {
    const routing = startRouting(`routing_strategy: ${strategy}`);
    answerAfter(routing, three, "a", 0, 500);
    routing.clock.step(60_000);
    expect(Object.keys(countChoices(routing, three, 60)).sort()).toEqual(["a", "b", "c"]);
  });
});

describe("latency-based-routing", () => {
  const on = "routing_strategy: latency-based-routing";

  test("one that was not used yet is tried first, then the quickest is next", () => {
    const routing = startRouting(on);
    answerAfter(routing, three, "a", 300);
    answerAfter(routing, three, "b", 100);
    expect(routing.router.pick(three, NOBODY, FACTS)?.deployment.id).toBe("c");
    answerAfter(routing, three, "c", 200);
    expect(routing.router.pick(three, NOBODY, FACTS)?.deployment.id).toBe("b");
  });

  test("a plain answer counts by the token, so that a long one is not a slow one", () => {
    const routing = startRouting(on);
    const two = three.slice(0, 2);
    answerAfter(routing, two, "a", 1_000, 1_000, false);
    answerAfter(routing, two, "b", 500, 10, false);
    expect(routing.router.pick(two, NOBODY, { ...FACTS, stream: false })?.deployment.id).toBe("a");
  });

  test("those within the buffer share the calls", () => {
    const routing = startRouting(`${on}\nrouting_strategy_args: {lowest_latency_buffer: 0.5}`);
    for (const [id, ms] of [
      ["a", 100],
      ["b", 149],
      ["c", 151],
    ] as const)
      answerAfter(routing, three, id, ms);
    const seen = new Set(Array.from({ length: 50 }, () => routing.router.pick(three, NOBODY, FACTS)?.deployment.id));
    expect([...seen].sort()).toEqual(["a", "b"]);
  });

  test("only the last so many count, and none that is older than its time", () => {
    const routing = startRouting(`${on}\nrouting_strategy_args: {max_latency_list_size: 2, ttl: 100}`);
    const two = three.slice(0, 2);
    for (const ms of [9_000, 10, 10]) answerAfter(routing, two, "a", ms);
    answerAfter(routing, two, "b", 100);
    expect(routing.router.pick(two, NOBODY, FACTS)?.deployment.id).toBe("a");
    routing.clock.step(100_001);
    answerAfter(routing, two, "a", 5);
    expect(routing.router.pick(two, NOBODY, FACTS)?.deployment.id).toBe("b");
  });

  test("one of which nothing is known is found out about by one call at a time", () => {
    const routing = startRouting(`${on}\nrouting_strategy_args: {ttl: 100}`);
    const two = three.slice(0, 2);
    answerAfter(routing, two, "b", 100);
    const goTo = (calls: number, stream = true) =>
      Array.from({ length: calls }, () => routing.router.pick(two, NOBODY, { ...FACTS, stream })?.deployment.id);
    const first = routing.router.pick(two, NOBODY, FACTS);
    expect([first?.deployment.id, ...goTo(3)]).toEqual(["a", "b", "b", "b"]);
    // Nobody has asked either of them for a plain answer yet.
    expect(goTo(2, false).sort()).toEqual(["a", "b"]);
    routing.clock.step(50);
    first?.end(ANSWERED);
    expect(goTo(3)).toEqual(["a", "a", "a"]);
  });

  test("nor do all run to one that was too slow to be asked for long", () => {
    const routing = startRouting(`${on}\nrouting_strategy_args: {ttl: 100}`);
    const two = three.slice(0, 2);
    answerAfter(routing, two, "a", 9_000);
    routing.clock.step(100_000);
    answerAfter(routing, two, "b", 100);
    const later = Array.from({ length: 3 }, () => routing.router.pick(two, NOBODY, FACTS)?.deployment.id);
    expect(later).toEqual(["a", "b", "b"]);
  });

  test("where nothing is known of any, calls are shared", () => {
    const routing = startRouting(on);
    const seen = Array.from({ length: 30 }, () => routing.router.pick(three, NOBODY, FACTS)?.deployment.id);
    expect([...new Set(seen.slice(0, 3))].sort()).toEqual(["a", "b", "c"]);
    expect([...new Set(seen.slice(3))].sort()).toEqual(["a", "b", "c"]);
  });

  test("a time-out counts as a thousand seconds", () => {
    const routing = startRouting(`${on}\ndisable_cooldowns: true`);
    const two = three.slice(0, 2);
    answerAfter(routing, two, "b", 60_000);
    begin(routing, two, "a").end(failed("timeout"));
    expect(routing.router.pick(two, NOBODY, FACTS)?.deployment.id).toBe("b");
  });
});

test("cost-based-routing takes the cheapest, and an unknown price for the highest", () => {
  const prices: Record<string, number | null> = { a: null, b: 0.000_002, c: 0.000_003 };
  const routing = startRouting("routing_strategy: cost-based-routing", { priceOf: ({ id }) => prices[id] ?? null });
  expect(countChoices(routing, three, 20)).toEqual({ b: 20 });
  expect(countChoices(routing, [three[0], three[2]] as Deployment[], 20)).toEqual({ c: 20 });
});

describe("peak-latency", () => {
  const on = "routing_strategy: peak-latency";

  test("is what a group of more than two has where no strategy and no weights are configured", () => {
    const strategyOf = (deployments: readonly Deployment[], settings = "") => {
      const { router } = startRouting();
      return viewGroup(deployments, routerConfig(settings), 0, router.stateOf).rule.strategy;
    };
    expect(strategyOf(three)).toBe("peak-latency");
    expect(strategyOf(three.slice(0, 2))).toBe("simple-shuffle");
    expect(strategyOf([...three, deployment("d", { weight: 2 })])).toBe("simple-shuffle");
    expect(strategyOf(three, "routing_strategy: least-busy")).toBe("least-busy");
    const own = "routing_groups:\n  - {models: [g], routing_strategy: cost-based-routing}";
    expect(strategyOf(three, own)).toBe("cost-based-routing");
  });

  test("of equals each gets its part", () => {
    const counts = countChoices(startRouting(on), three, 3_000);
    for (const { id } of three) expect(about(counts[id] ?? 0, 1_000)).toBe(true);
  });

  test("one slow answer keeps calls away; the memory of it fades", () => {
    const routing = startRouting(on);
    for (const { id } of three) answerAfter(routing, three, id, id === "a" ? 5_000 : 100);
    // Of three, a pair without the slow one or one where it loses: it is never taken.
    expect(countChoices(routing, three, 200).a ?? 0).toBe(0);
    routing.clock.step(600_000);
    expect(countChoices(routing, three, 200).a ?? 0).toBeGreaterThan(20);
  });

  test("one that hangs is avoided while it hangs, before any call has failed", () => {
    const routing = startRouting(on);
    for (const { id } of three) answerAfter(routing, three, id, 100);
    begin(routing, three, "a");
    routing.clock.step(2_000);
    expect(countChoices(routing, three, 200).a ?? 0).toBe(0);
  });

  test("one with a weight of zero gets nothing, however busy the others are", () => {
    const routing = startRouting(on);
    const weighted = [deployment("a", { weight: 1 }), deployment("b", { weight: 0 }), deployment("c", { weight: 0 })];
    for (let call = 0; call < 20; call++) {
      expect(routing.router.pick(weighted, NOBODY, FACTS)?.deployment.id).toBe("a");
      routing.clock.step(100);
    }
  });

  test("callers who give up on one that hangs keep others away from it", () => {
    const routing = startRouting(on);
    for (const { id } of three) answerAfter(routing, three, id, 100);
    const attempt = begin(routing, three, "a");
    routing.clock.step(8_000);
    attempt.end({ ...ANSWERED, ok: false, completionTokens: 0 });
    expect(countChoices(routing, three, 200).a ?? 0).toBe(0);
    expect(wellOf(routing, three)).toEqual(["a", "b", "c"]);
  });

  test("a try that was held back is timed from when it is sent", () => {
    const routing = startRouting(on);
    const [attempt, other] = [begin(routing, three, "a"), begin(routing, three, "a")];
    routing.clock.step(5_000);
    attempt.restart();
    routing.clock.step(100);
    expect(routing.router.stateOf("a").longestWaitMs(routing.clock.monotonicMs())).toBe(5_100);
    other.drop();
    expect(routing.router.stateOf("a").longestWaitMs(routing.clock.monotonicMs())).toBe(100);
    attempt.end(ANSWERED);
    expect(routing.router.stateOf("a").longestWaitMs(routing.clock.monotonicMs())).toBe(0);
    expect(routing.router.stateOf("a")).toMatchObject({ calls: 1, inFlight: 0, streams: { lastMs: 100 } });
  });

  test("failing at once is not being quick", () => {
    const routing = startRouting(`${on}\ndisable_cooldowns: true`);
    for (const { id } of three) answerAfter(routing, three, id, 100);
    for (let time = 0; time < 3; time++) begin(routing, three, "a").end(failed("upstream"));
    expect(countChoices(routing, three, 200).a ?? 0).toBe(0);
  });

  test("a new deployment is neither flooded nor starved", () => {
    const routing = startRouting(on);
    for (let round = 0; round < 20; round++) for (const { id } of three) answerAfter(routing, three, id, 100);
    const four = [...three, deployment("d")];
    const counts: Record<string, number> = {};
    for (let call = 0; call < 400; call++) {
      const id = routing.router.pick(four, NOBODY, FACTS)?.deployment.id ?? "";
      counts[id] = (counts[id] ?? 0) + 1;
    }
    expect(counts.d).toBeGreaterThan(60);
    expect(counts.d).toBeLessThan(140);
  });

  test("times of streams and of plain answers are not mixed", () => {
    const routing = startRouting(on);
    for (const { id } of three) answerAfter(routing, three, id, 100);
    answerAfter(routing, three, "a", 30_000, 10, false);
    for (const id of ["b", "c"]) answerAfter(routing, three, id, 100);
    expect(countChoices(routing, three, 300, { stream: true }).a ?? 0).toBeGreaterThan(30);
  });
});

describe("affinity", () => {
  const SESSIONS = "optional_pre_call_checks: [session_affinity]";
  const ids = Array.from({ length: 8 }, (_, index) => deployment(`d${index}`));
  const homeOf = (routing: Routing, all: readonly Deployment[], affinity: string): string =>
    routing.router.pick(all, NOBODY, { ...FACTS, affinity })?.deployment.id ?? "";

  test("calls that belong together go to the same deployment, in every process", () => {
    const [one, other] = [startRouting(SESSIONS), startRouting(SESSIONS)];
    fc.assert(
      fc.property(fc.string(), (session) => {
        expect(homeOf(one, ids, session)).toBe(homeOf(other, [...ids].reverse(), session));
      }),
    );
  });

  test("when one goes, only its own sessions move; they are back when it is", () => {
    const routing = startRouting(SESSIONS);
    const sessions = Array.from({ length: 400 }, (_, index) => `session ${index}`);
    const before = sessions.map((session) => homeOf(routing, ids, session));
    const without = ids.filter(({ id }) => id !== "d3");
    const moved = sessions.filter((session, index) => homeOf(routing, without, session) !== before[index]);
    expect(moved).toEqual(sessions.filter((_, index) => before[index] === "d3"));
    expect(sessions.map((session) => homeOf(routing, ids, session))).toEqual(before);
  });

  test("sessions are shared by weight", () => {
    const routing = startRouting(SESSIONS);
    const two = [deployment("a", { weight: 3 }), deployment("b", { weight: 1 })];
    const homes = Array.from({ length: 4_000 }, (_, index) => homeOf(routing, two, `session ${index}`));
    expect(about(homes.filter((home) => home === "a").length, 3_000)).toBe(true);
  });

  test("sessions are shared where all weights are zero, and a weight of zero gets none beside others", () => {
    const routing = startRouting(SESSIONS);
    const homesAmong = (first: number) => {
      const two = [deployment("a", { weight: first }), deployment("b", { weight: 0 })];
      const homes = Array.from({ length: 2_000 }, (_, index) => homeOf(routing, two, `session ${index}`));
      return homes.filter((home) => home === "b").length;
    };
    expect(about(homesAmong(0), 1_000)).toBe(true);
    expect(homesAmong(0.001)).toBe(0);
  });

  test("one that rests is left, whoever belongs to it", () => {
    const routing = startRouting(SESSIONS);
    const two = [deployment("a"), deployment("b")];
    const session = Array.from({ length: 99 }, (_, index) => `${index}`).find(
      (one) => homeOf(routing, two, one) === "a",
    );
    begin(routing, two, "a").end(failed("rate_limit", 30_000));
    expect(homeOf(routing, two, session ?? "")).toBe("b");
  });

  test("without the setting a session means nothing", () => {
    const routing = startRouting();
    const homes = new Set(Array.from({ length: 50 }, () => homeOf(routing, ids, "session")));
    expect(homes.size).toBeGreaterThan(4);
  });

  test("prompts that begin alike go to the same deployment where that is configured; short ones are shared", () => {
    const routing = startRouting("optional_pre_call_checks: [prompt_caching]");
    const homesOf = (...prompts: string[]) =>
      new Set(
        Array.from({ length: 40 }, (_, index) => {
          const messages = [
            { role: "system", content: prompts[index % prompts.length] },
            { role: "user", content: `question ${index}` },
          ];
          const promptPrefix = () => prefixOf({ messages });
          return routing.router.pick(ids, NOBODY, { ...FACTS, promptPrefix })?.deployment.id;
        }),
      ).size;
    expect(homesOf("a long text. ".repeat(400))).toBe(1);
    expect(homesOf("a short text")).toBeGreaterThan(4);
    expect(homesOf(...Array.from({ length: 10 }, (_, index) => `${index} a long text. `.repeat(400)))).toBeGreaterThan(
      3,
    );
  });
});
