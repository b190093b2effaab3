import type { KeyCaller } from "../contract/caller.ts";
import type { ChatRequest } from "../contract/chat.ts";

export interface ChatCall {
  readonly caller: KeyCaller;
  readonly request: ChatRequest;
  readonly callId: string;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}
