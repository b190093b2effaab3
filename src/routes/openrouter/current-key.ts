import Type from "typebox";
import { asOperator } from "../../accounts/authority.ts";
import type { Keys } from "../../accounts/keys.ts";
import { RouterCurrentKey } from "../../contract/openrouter.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { usd } from "../spend/usd.ts";
import { type KeyUsageDeps, keyView, NO_OTHERS, recentUsage } from "./key-usage.ts";
import { ROUTER_BASE } from "./under-api.ts";

/** A key about itself. */
export const currentKey = (deps: KeyUsageDeps & { readonly keys: Keys }) =>
  route({
    method: "GET",
    paths: [`${ROUTER_BASE}/key`, `${ROUTER_BASE}/auth/key`],
    tag: "OpenRouter",
    summary: "Show what the key may spend and has spent",
    description: "In USD. `GET /key/info` tells more of it.",
    auth: "key",
    success: Type.Object({ data: RouterCurrentKey }),
    errors: ["not_found"],
    async handle({ caller }) {
      const { keyId, keyName, master } = caller;
      const kind = { is_free_tier: false, is_provisioning_key: false, is_management_key: false };
      if (master) {
        const [spend, recent] = await Promise.all([deps.usage.spendOf({ keyId }), recentUsage(deps, { keyId })]);
        const unlimited = { limit: null, limit_remaining: null, limit_reset: null };
        const nobody = { expires_at: null, creator_user_id: null };
        const used = { usage: usd(spend.cost), ...recent(keyId), ...NO_OTHERS };
        return json({ data: { label: keyName, ...unlimited, ...used, ...nobody, ...kind } });
      }
      const seen = await deps.keys.get({ caller: asOperator(caller), reference: keyId });
      const { hash, name, disabled, workspace_id, created_at, updated_at, ...view } = await keyView(deps, seen);
      return json({ data: { ...view, ...kind } });
    },
  });
