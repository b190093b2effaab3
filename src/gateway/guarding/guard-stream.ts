import type { MeteredCall } from "../metering/metered-call.ts";
import type { FrameSource } from "../stream-body.ts";

/** A stream as the caller gets it; the very same one where no guardrail looks at it. */
export const guardedFrames = (source: FrameSource, meter: MeteredCall): FrameSource =>
  meter.guard === null ? source : meter.guard.frames(source, (thrown) => meter.refuse(thrown));
