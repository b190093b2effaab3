import type { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import type { Choice } from "../choose.ts";
import type { Fields } from "../deps.ts";
import type { MeteredCall } from "../metering/metered-call.ts";
import type { PromptMeasure } from "../metering/prompt-measure.ts";

/** A call that is to be sent: what it asks for, and of what size. */
export interface Errand {
  readonly operation: Operation;
  readonly request: Fields;
  readonly measure: PromptMeasure;
  readonly fileBytes: number;
  /** Sends the call to the deployment that was chosen. */
  readonly work: (choice: Choice, meter: MeteredCall, onward: Onward) => Promise<Response>;
  /** Told when the call is in the books, before it is sent; null where nobody wants to know. */
  readonly begun: ((meter: MeteredCall) => void) | null;
}

/** In the middle of an answer that broke off: who goes on with it, in the books already; null where nobody can. */
export type Onward = (failure: GatewayError) => Promise<Choice | null>;
