import { noteChange } from "../../accounts/change.ts";
import type { AccountStores } from "../../accounts/store.ts";
import type { AnswerCache } from "../../cache/response-cache.ts";
import type { AdminCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Connection } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";

export interface CacheRouteDeps {
  readonly cache: AnswerCache;
  readonly stores: AccountStores;
  readonly clock: Clock;
  /** What the memory may hold; null where answers lie elsewhere. */
  readonly bytesMax: () => number | null;
}

interface Acting {
  readonly caller: AdminCaller;
  readonly connection: Connection;
}

/** What the store answers; one that is away is 503. */
export async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new GatewayError("unavailable", "The store of the cache does not answer.", { cause });
  }
}

/** Removes every answer that is kept; the audit log has who did. */
export async function flush({ cache, stores, clock }: CacheRouteDeps, acting: Acting): Promise<number> {
  const entries = await asked(() => cache.clear());
  await note(stores, clock, acting, "cache.flush", { entries });
  return entries;
}

/** Removes answers by their keys. */
export async function forget(deps: CacheRouteDeps, acting: Acting, keys: readonly string[]): Promise<number> {
  const entries = await asked(() => deps.cache.store.delete(keys));
  await note(deps.stores, deps.clock, acting, "cache.delete", { keys: keys.slice(0, 20), entries });
  return entries;
}

function note(
  stores: AccountStores,
  clock: Clock,
  { caller, connection }: Acting,
  action: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const target = { organizationId: null, targetType: "cache", targetId: "answers" };
  const actor = { caller, address: connection.remoteAddress };
  return noteChange(stores, clock, actor, { action, ...target, details });
}
