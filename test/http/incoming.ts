import { BodyBudget, type BodyLimits, type BodyOrigin, type IncomingBody } from "../../src/http/bodies/body-budget.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemTimers } from "../../src/lib/timers.ts";

const NO_LIMITS: BodyLimits = { totalBytesMax: 0, callerBytesMax: 0, addressBytesMax: 0, timeoutMs: 60_000 };
const STRANGER: BodyOrigin = { caller: null, connection: { remoteAddress: null }, declaredBytes: null };

/** A body for which nothing but the usual time is limited. */
export const incomingBody = (limits: Partial<BodyLimits> = {}): IncomingBody =>
  new BodyBudget(
    () => ({ ...NO_LIMITS, ...limits }),
    systemTimers,
    () => systemClock.monotonicMs(),
  ).receive(STRANGER);
