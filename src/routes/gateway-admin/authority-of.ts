import { type Authority, asOperator } from "../../accounts/authority.ts";
import type { AdminCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Connection } from "../../http/route.ts";

/** On whose right a call acts: here an administrator's session is the operator's. A key that calls models manages nothing. */
export function authorityOf(caller: AdminCaller): Authority {
  if (caller.kind === "session") return caller.role === "admin" ? asOperator(caller) : caller;
  if (caller.master) return asOperator(caller);
  throw new GatewayError("permission", "A key of a team cannot do this; use the master key or a session.");
}

export const actorOf = ({ caller, connection }: { readonly caller: AdminCaller; readonly connection: Connection }) => ({
  caller: authorityOf(caller),
  address: connection.remoteAddress,
});

/** For routes that only operators reach. */
export const adminOf = ({ caller, connection }: { readonly caller: AdminCaller; readonly connection: Connection }) => ({
  caller,
  address: connection.remoteAddress,
});
