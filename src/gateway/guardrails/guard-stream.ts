import type { CallAccounting } from "../metering/call-accounting.ts";
import type { FrameSource } from "../streaming/write-stream.ts";

/** A stream as the caller gets it; the very same one where no guardrail looks at it. */
export const guardedFrames = (source: FrameSource, accounting: CallAccounting): FrameSource =>
  accounting.guard === null ? source : accounting.guard.frames(source, (thrown) => accounting.refuse(thrown));
