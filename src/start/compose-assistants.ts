import { Assistants } from "../assistants/assistants.ts";
import { NO_FILES } from "../assistants/no-files.ts";
import type { AssistantStores } from "../assistants/store.ts";
import { Threads } from "../assistants/threads.ts";
import type { GatewayDeps } from "../gateway/deps.ts";
import { resolveForCaller } from "../gateway/model-access.ts";
import type { Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import { assistantRoutes } from "../routes/assistants/assistant-routes.ts";

interface Parts {
  readonly stores: AssistantStores;
  readonly gateway: GatewayDeps;
  readonly clock: Clock;
}

/** Assistants, their conversations and runs. */
export function composeAssistants({ stores, gateway, clock }: Parts): { readonly routes: Route[] } {
  const deps = {
    stores,
    files: NO_FILES,
    servedTools: new Set(["function"] as const),
    requireModel: (caller: Parameters<typeof resolveForCaller>[1], model: string) => {
      resolveForCaller(gateway.catalog(), caller, model);
    },
    clock,
  };
  return { routes: assistantRoutes({ assistants: new Assistants(deps), threads: new Threads(deps) }) };
}
