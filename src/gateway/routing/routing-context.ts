import { isRecord } from "../../lib/json.ts";
import type { InferenceCall } from "../call/gateway.ts";
import type { PreparedRequest } from "../call/prepared-request.ts";
import { requestedTokens } from "../limits/request-tokens.ts";
import { estimateTokens, tokensAtLeast } from "../metering/prompt-size.ts";
import { tagsOf } from "../metering/usage-record.ts";
import { promptPrefix } from "./prompt-prefix.ts";
import type { RoutingContext } from "./router.ts";

/** What of a call a router may ask for; worked out when it does. */
export class CallRoutingContext implements RoutingContext {
  /** The region that the call has to stay in, where deployments are told apart by it. */
  get region(): string | null {
    return this.call.header("x-gw-region");
  }

  /** The group that is asked now: another one after it has failed. */
  group: string;

  constructor(
    private readonly call: InferenceCall,
    private readonly prepared: PreparedRequest,
  ) {
    this.group = prepared.group;
  }

  get operation() {
    return this.prepared.operation;
  }

  get stream(): boolean {
    return this.prepared.request.stream === true;
  }

  promptTokens(): number {
    return estimateTokens(this.prepared.measure);
  }

  promptTokensAtLeast(): number {
    return tokensAtLeast(this.prepared.measure);
  }

  requestedTokens(): number {
    return requestedTokens(this.prepared.request, this.prepared.measure);
  }

  get schema(): boolean {
    const { response_format: format } = this.prepared.request;
    return isRecord(format) && format.type === "json_schema";
  }

  /** Calls that say they belong together; a caller may name any session, so they are kept apart by its key's owner. */
  get affinity(): string | null {
    const { request } = this.prepared;
    const session = textOf(request.litellm_session_id) ?? this.call.header("x-gw-session-id");
    if (session === null) return null;
    return `${this.call.caller.organizationId ?? ""}:${session}`;
  }

  /** Kept apart in the same way: who guesses another's prompt learns nothing from where it goes. */
  promptPrefix(): string | null {
    const prefix = promptPrefix(this.prepared.request);
    return prefix === null ? null : `${this.call.caller.organizationId ?? ""}:${prefix}`;
  }

  get tags(): readonly string[] {
    return tagsOf(this.prepared.request, this.call.source.tags, this.call.caller.tags);
  }
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
