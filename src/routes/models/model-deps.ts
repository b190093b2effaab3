import type { KeyRights } from "../../accounts/key-rights.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { FallbackTables } from "../../gateway/attempts/fallback-tables.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";

/** What the routes about models stand on. */
export interface ModelDeps extends Pick<GatewayDeps, "catalog" | "clock" | "prices" | "router"> {
  readonly fallbacks: () => FallbackTables;
  readonly rights: KeyRights;
  /** Stored models that are blocked. */
  readonly blocked: () => readonly Deployment[];
}
