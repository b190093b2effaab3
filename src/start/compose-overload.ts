import type { WatchedGauge } from "../http/metrics.ts";
import { Overload } from "../http/overload.ts";
import type { EventLoopProbe } from "../lib/event-loop.ts";
import type { LiveConfig } from "./live-config.ts";

/** What turns calls away, the probe of the event loop for whoever else listens to it, and what to tell of both. */
export function composeOverload(
  live: LiveConfig,
  pendingCalls: () => number,
  probe: EventLoopProbe,
  nowMs: () => number,
) {
  const overload = new Overload(() => live.config.server.overload, pendingCalls, nowMs);
  const eventLoop: EventLoopProbe = {
    listen: (listener) =>
      probe.listen((delayMs) => {
        overload.noteDelay(delayMs);
        listener(delayMs);
      }),
    stop: () => probe.stop(),
  };
  const gauges: readonly WatchedGauge[] = [
    ["turnpike_shed_calls", "Calls of models that were turned away because of overload.", () => overload.shed, "total"],
  ];
  return { overload, eventLoop, gauges };
}
