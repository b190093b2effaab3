import type { KeyCaller } from "../../../contract/caller.ts";
import type { UpstreamSocket } from "../../../providers/upstream-socket.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../../call/gateway.ts";
import type { SessionAccounting } from "./session-accounting.ts";

/** How often, in milliseconds, and how long things may take. */
export interface SessionTimes {
  /** So often it is seen whether the key may still be used. */
  readonly renewMs: number;
  readonly pingMs: number;
  /** An upstream that says nothing for so long is gone. */
  readonly silentMs: number;
  /** Nobody has said anything for so long. */
  readonly idleMs: number;
  /** No session lasts longer; null: as long as it likes. */
  readonly longestMs: number | null;
  /** When the caller has left, so long the usage of what was under way is waited for. */
  readonly lingerMs: number;
}

export const SESSION_TIMES: Omit<SessionTimes, "longestMs"> = {
  renewMs: 2_000,
  pingMs: 20_000,
  silentMs: 60_000,
  idleMs: 15 * 60_000,
  lingerMs: 5_000,
};

/** What a session is made of. */
export interface SessionParts {
  readonly deps: GatewayDeps;
  readonly call: InferenceCall;
  readonly upstream: UpstreamSocket;
  readonly books: SessionAccounting;
  /** What the session is set to when it begins, beside what its upstream has by itself; null: nothing. */
  readonly config: Fields | null;
  readonly times: SessionTimes;
  /** The deployment is to be given no more work: an operator has switched it off, or what may be spent there is spent. */
  readonly isShut: () => boolean;
  /** The key as it stands now; throws where it may not be used any more. */
  readonly renew: () => Promise<KeyCaller>;
  /** It is over: `thrown` is null where it came to its own end. */
  readonly ended: (thrown: unknown) => Promise<void>;
}
