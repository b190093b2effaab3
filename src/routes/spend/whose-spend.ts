import { findUserId } from "../../accounts/people/unknown-users.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { UsageScope } from "../../usage/store.ts";
import type { UsageRouteDeps } from "../usage/usage-deps.ts";

interface Named {
  readonly api_key?: string;
  readonly user_id?: string;
}

/** The master key sees everything; any other key sees its own calls, and is told so when it asks for more. */
export async function spendScope(deps: UsageRouteDeps, caller: KeyCaller, query: Named): Promise<UsageScope> {
  const keyId = query.api_key ? ((await deps.keys.locate(query.api_key))?.key.id ?? query.api_key) : undefined;
  if (caller.master) {
    return {
      ...(keyId === undefined ? {} : { keyId }),
      ...(query.user_id ? { userId: await findUserId(deps.stores, query.user_id) } : {}),
    };
  }
  const isOwn = keyId === undefined || keyId === caller.keyId;
  const isOwner = !query.user_id || (await findUserId(deps.stores, query.user_id)) === caller.userId;
  if (isOwn && isOwner) return { keyId: caller.keyId };
  throw new GatewayError("permission", "A key sees its own spend only; the master key sees that of others.");
}
