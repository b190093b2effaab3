import { BodyBudget } from "../http/bodies/body-budget.ts";
import type { WatchedGauge } from "../http/metrics.ts";
import { Overload } from "../http/overload.ts";
import type { EventLoopProbe } from "../lib/event-loop.ts";
import { systemTimers } from "../lib/timers.ts";
import type { LiveConfig } from "./live-config.ts";

/** Admission control of the process, the probe of its event loop, and the metrics of both. */
export function composeOverload(
  live: LiveConfig,
  pendingCalls: () => number,
  probe: EventLoopProbe,
  nowMs: () => number,
) {
  const overload = new Overload(() => live.config.server.overload, pendingCalls, nowMs);
  const bodies = new BodyBudget(() => live.config.server.bodies, systemTimers, nowMs);
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
    ["turnpike_request_body_bytes", "Bytes of request bodies that are arriving.", () => bodies.heldBytes],
    ["turnpike_rejected_bodies", "Request bodies over a limit on bytes or on time.", () => bodies.rejected, "total"],
  ];
  return { overload, bodies, eventLoop, gauges };
}
