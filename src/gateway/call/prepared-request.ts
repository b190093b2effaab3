import type { Catalog } from "../../catalog/catalog.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { GatewayError } from "../../contract/errors.ts";
import type { LoggedOperation, Operation } from "../../contract/params.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import type { CallAccounting } from "../metering/call-accounting.ts";
import type { PromptMeasure, Uploaded } from "../metering/prompt-size.ts";
import type { CallHooks } from "./call-hooks.ts";
import type { CallOptions } from "./call-options.ts";
import type { Fields } from "./gateway.ts";

/** What a refusal tells of a call in the log. */
export interface RequestLabel {
  readonly operation: LoggedOperation;
  readonly request: Fields;
  /** What is asked: the group of a model. */
  readonly group: string;
}

/** A call that is to be sent: what it asks for, of what size, and where it may go. */
export interface PreparedRequest extends RequestLabel {
  readonly operation: Operation;
  readonly options: CallOptions;
  readonly measure: PromptMeasure;
  readonly uploaded: Uploaded;
  /** What serves the group. */
  readonly deployments: readonly Deployment[];
  /** Where they were found: another one may hold when the call is sent, or sent again. */
  readonly catalog: Catalog;
  /** Sends the call to the deployment that was chosen. */
  readonly work: (target: ResolvedTarget, accounting: CallAccounting, nextAttempt: NextAttempt) => Promise<Response>;
  readonly hooks: CallHooks;
}

/** In the middle of an answer that broke off: who goes on with it, in the books already; null where nobody can. */
export type NextAttempt = (failure: GatewayError) => Promise<ResolvedTarget | null>;
