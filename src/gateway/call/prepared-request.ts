import type { Catalog } from "../../catalog/catalog.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { GatewayError } from "../../contract/errors.ts";
import type { LoggedOperation, Operation } from "../../contract/params.ts";
import type { Choice } from "../attempts/resolve-target.ts";
import type { MeteredCall } from "../metering/call-accounting.ts";
import type { PromptMeasure, Uploaded } from "../metering/prompt-size.ts";
import type { Company } from "./call-hooks.ts";
import type { CallWishes } from "./call-options.ts";
import type { Fields } from "./gateway.ts";

/** What a refusal tells of a call in the log. */
export interface Named {
  readonly operation: LoggedOperation;
  readonly request: Fields;
  /** What is asked: the group of a model. */
  readonly group: string;
}

/** A call that is to be sent: what it asks for, of what size, and where it may go. */
export interface Errand extends Named {
  readonly operation: Operation;
  readonly wishes: CallWishes;
  readonly measure: PromptMeasure;
  readonly uploaded: Uploaded;
  /** What serves the group. */
  readonly deployments: readonly Deployment[];
  /** Where they were found: another one may hold when the call is sent, or sent again. */
  readonly catalog: Catalog;
  /** Sends the call to the deployment that was chosen. */
  readonly work: (choice: Choice, meter: MeteredCall, onward: Onward) => Promise<Response>;
  readonly company: Company;
}

/** In the middle of an answer that broke off: who goes on with it, in the books already; null where nobody can. */
export type Onward = (failure: GatewayError) => Promise<Choice | null>;
