import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import type { StoredModels } from "../../models/stored-models.ts";

export interface StoredModelRouteDeps extends Pick<GatewayDeps, "transport" | "env" | "clock" | "prices"> {
  readonly models: StoredModels;
}

/** Bodies about models are small; the gateway's own limit is for prompts. */
export const BODY_BYTES_MAX = 1024 * 1024;
