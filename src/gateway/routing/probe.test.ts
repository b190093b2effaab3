import { expect, test } from "bun:test";
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

const two = [deployment("a"), deployment("b")];

/** So often that `a` rests. */
function failInARow({ router }: Routing, deployments = two): void {
  for (let time = 0; time < 5; time++) router.pick(deployments, new Set(["b"]), FACTS)?.end(failed("upstream"));
}

/** `a` has rested for as long as it has to. */
function restedRouting(): Routing {
  const routing = startRouting("cooldown_time: 5\nrouting_strategy: simple-shuffle");
  failInARow(routing);
  routing.clock.step(5_000);
  return routing;
}

test("a probe that was overtaken by a rest neither ends nor hides the next one", () => {
  const routing = restedRouting();
  const first = routing.router.pick(two, NOBODY, FACTS);
  first?.firstByte();
  routing.clock.step(1);
  routing.router.pick(two, new Set(["b"]), FACTS)?.end(failed("upstream"));
  routing.clock.step(10_000);
  expect(routing.router.pick(two, NOBODY, FACTS)?.deployment.id).toBe("a");
  first?.end(failed("upstream"));
  expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
});

test("a probe that breaks off after others were answered is one failure of many", () => {
  const routing = restedRouting();
  const probe = routing.router.pick(two, NOBODY, FACTS);
  probe?.firstByte();
  routing.clock.step(1);
  for (let time = 0; time < 20; time++) routing.router.pick(two, new Set(["b"]), FACTS)?.end(ANSWERED);
  probe?.end(failed("upstream"));
  expect(countChoices(routing, two, 40).a).toBeGreaterThan(5);
});

test("a probe's first byte after others were answered puts nothing on trial", () => {
  const routing = startRouting("cooldown_time: 5");
  const alone = [deployment("a")];
  failInARow(routing, alone);
  routing.clock.step(5_000);
  const probe = routing.router.pick(alone, NOBODY, FACTS);
  routing.clock.step(1);
  routing.router.pick(alone, NOBODY, FACTS)?.end(ANSWERED);
  probe?.firstByte();
  routing.router.pick(alone, NOBODY, FACTS)?.end(failed("upstream"));
  expect(wellOf(routing, alone)).toEqual(["a"]);
});

test("one whose weight an operator sets to zero is not probed with anybody's call, and comes back with its weight", () => {
  const routing = restedRouting();
  routing.router.applySwitches([{ ...SET, weight: 0 }]);
  expect(countChoices(routing, two, 20)).toEqual({ b: 20 });
  routing.router.applySwitches([{ ...SET, weight: 1 }]);
  expect(routing.router.pick(two, NOBODY, FACTS)?.deployment.id).toBe("a");
});

test("of those whose weights are all zero each is there once it has rested", () => {
  const routing = startRouting("cooldown_time: 5\nrouting_strategy: simple-shuffle");
  const none = [deployment("a", { weight: 0 }), deployment("b", { weight: 0 })];
  failInARow(routing, none);
  routing.clock.step(5_000);
  expect(Object.keys(countChoices(routing, none, 20)).sort()).toEqual(["a", "b"]);
});
