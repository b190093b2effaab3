import type { Pace } from "./event-stream.ts";
import type { Fields } from "./fields.ts";

/** The form type that `Request` answers with. */
export type Form = Awaited<ReturnType<Request["formData"]>>;

/** One request as the operations see it: what was sent, and the few things that are not decided by it. */
export interface EchoCall {
  /** The JSON body; of a form, its text fields. */
  readonly body: Fields;
  /** Only for multipart requests. */
  readonly form: Form | undefined;
  readonly nowMs: () => number;
  readonly newId: () => string;
  readonly pace: Pace;
}

export type Operation = (call: EchoCall) => Response | Promise<Response>;

export function createdSeconds({ nowMs }: EchoCall): number {
  return Math.floor(nowMs() / 1000);
}
