import type { RouterConfig } from "../config/router-config.ts";
import type { FallbackTables } from "../gateway/attempts/fallback-tables.ts";

/** The fallbacks of a configuration; the default ones stand under `*`, as if they had been written there. */
export function fallbackTables(router: RouterConfig): FallbackTables {
  const { defaultFallbacks, fallbacks } = router;
  return {
    general: defaultFallbacks.length > 0 ? { "*": defaultFallbacks, ...fallbacks } : fallbacks,
    contextWindow: router.contextWindowFallbacks,
    contentPolicy: router.contentPolicyFallbacks,
  };
}
