import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { AccountStores } from "./store.ts";

const FRESH_MS = 10 * 60 * 1000;

/** Who has neither password nor second factor has proved elsewhere who they are, this long ago at most. */
export async function requireFresh(
  { stores, clock }: { readonly stores: AccountStores; readonly clock: Clock },
  { sessionId }: SessionCaller,
): Promise<void> {
  const session = await stores.sessions.find(sessionId);
  if (session && clock.nowMs() - session.createdAt <= FRESH_MS) return;
  throw new GatewayError("permission", "You signed in too long ago for this; log out, sign in again and repeat it.");
}
