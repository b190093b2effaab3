import type { KeyCaller } from "../../contract/caller.ts";
import type { InferenceCall } from "../../gateway/call/gateway.ts";
import { ResponseMetadata } from "../../gateway/call/response-metadata.ts";
import type { Context } from "../../http/route.ts";

type AnyContext = Context<"key" | "session", unknown, unknown, unknown, unknown>;

/** The call behind a request. */
export const callOf = (context: Context<"key", unknown, unknown, unknown, unknown>, model: string): InferenceCall =>
  new RequestedCall(context, context.caller, model, false);

/** The call behind a request of a person who is signed in, in the name of one of their keys. */
export const personalCall = (context: Omit<AnyContext, "caller">, caller: KeyCaller, model: string): InferenceCall =>
  new RequestedCall(context, caller, model, true);

class RequestedCall implements InferenceCall {
  readonly callId: string;
  readonly receivedAtMs: number;
  readonly signal: AbortSignal;
  readonly responseMeta = new ResponseMetadata();
  readonly connection: InferenceCall["connection"];
  readonly source: InferenceCall["source"];
  private readonly headers: Headers;

  constructor(
    { callId, receivedAtMs, request, connection, path }: Omit<AnyContext, "caller">,
    public caller: KeyCaller,
    readonly model: string,
    readonly personal: boolean,
  ) {
    this.callId = callId;
    this.receivedAtMs = receivedAtMs;
    this.signal = request.signal;
    this.headers = request.headers;
    this.connection = connection;
    this.source = {
      endpoint: path,
      address: connection.remoteAddress,
      userAgent: this.headers.get("user-agent"),
      tags: this.headers.get("x-gw-tags"),
    };
  }

  header(name: string): string | null {
    return this.headers.get(name) || (name === "x-gw-session-id" ? this.agentSession() : null);
  }

  /** The session of a coding agent, where the caller names neither a session nor a trace in our own headers. */
  private agentSession(): string | null {
    if (this.headers.has("x-gw-trace-id")) return null;
    for (const name of AGENT_SESSION_HEADERS) {
      const session = this.headers.get(name);
      if (session) return session;
    }
    return null;
  }
}

/** Headers that name the session of a coding agent: of Claude Code, and of versions of Codex. */
const AGENT_SESSION_HEADERS = ["x-claude-code-session-id", "session-id", "session_id"] as const;
