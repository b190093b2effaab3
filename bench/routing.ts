// What one choice costs: `bun bench/routing.ts`. Prints microseconds per pick and end, by strategy and size of the group.

import { ROUTING_STRATEGIES } from "../src/config/router-config.ts";
import { ANSWERED, deployment, FACTS, NOBODY, startRouting } from "../test/gateway/routing.ts";

const CALLS = 300_000;

for (const strategy of [...ROUTING_STRATEGIES, "affinity"] as const) {
  const settings =
    strategy === "affinity" ? "optional_pre_call_checks: [session_affinity]" : `routing_strategy: ${strategy}`;
  const facts = strategy === "affinity" ? { ...FACTS, affinity: "session" } : FACTS;
  const cells = [1, 2, 4, 8, 32].map((size) => {
    const { router, clock } = startRouting(settings, { random: Math.random });
    const group = Array.from({ length: size }, (_, index) => deployment(`d${index}`));
    const run = (calls: number): number => {
      const begun = performance.now();
      for (let call = 0; call < calls; call++) {
        const attempt = router.pick(group, NOBODY, facts);
        clock.step(0.01);
        attempt?.firstByte();
        attempt?.end(ANSWERED);
      }
      return ((performance.now() - begun) / calls) * 1000;
    };
    run(20_000);
    return `${size}: ${run(CALLS).toFixed(2)}`;
  });
  console.log(strategy.padEnd(24), cells.join("   "));
}
