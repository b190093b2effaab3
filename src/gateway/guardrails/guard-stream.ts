import type { MeteredCall } from "../metering/call-accounting.ts";
import type { FrameSource } from "../streaming/write-stream.ts";

/** A stream as the caller gets it; the very same one where no guardrail looks at it. */
export const guardedFrames = (source: FrameSource, meter: MeteredCall): FrameSource =>
  meter.guard === null ? source : meter.guard.frames(source, (thrown) => meter.refuse(thrown));
