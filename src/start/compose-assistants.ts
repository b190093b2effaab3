import { MASTER } from "../accounts/key-standing.ts";
import type { KeyVerifier } from "../accounts/key-verifier.ts";
import type { KeyStore } from "../accounts/store.ts";
import { Assistants } from "../assistants/assistants.ts";
import { NO_FILES } from "../assistants/no-files.ts";
import { RunDesk } from "../assistants/run-desk.ts";
import type { Run } from "../assistants/run-records.ts";
import { Runs } from "../assistants/runs.ts";
import type { AssistantStores } from "../assistants/store.ts";
import { Threads } from "../assistants/threads.ts";
import { countTokens } from "../catalog/tokenizer.ts";
import type { KeyCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { GatewayDeps } from "../gateway/deps.ts";
import { resolveForCaller } from "../gateway/model-access.ts";
import { askModel } from "../gateway/runs/ask-model.ts";
import type { Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { assistantRoutes } from "../routes/assistants/assistant-routes.ts";

interface Parts {
  readonly stores: AssistantStores;
  readonly keys: Pick<KeyStore, "find">;
  readonly verifier: KeyVerifier;
  readonly gateway: GatewayDeps;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Assistants, their conversations and runs. */
export function composeAssistants({ stores, keys, verifier, gateway, clock, log }: Parts): {
  readonly routes: Route[];
  readonly desk: RunDesk;
} {
  const callerOf = (run: Run): Promise<KeyCaller> => callerOfRun(keys, verifier, run);
  const desk = new RunDesk({
    stores,
    files: NO_FILES,
    countTokens: (text) => countTokens(text),
    contextOf: (model) => contextOf(gateway, model),
    ask: async (run, request, signal) => askModel(gateway, await callerOf(run), run, request, signal),
    search: async () => [],
    clock,
    log,
  });
  const deps = {
    stores,
    files: NO_FILES,
    servedTools: new Set(["function"] as const),
    requireModel: (caller: KeyCaller, model: string) => {
      resolveForCaller(gateway.catalog(), caller, model);
    },
    clock,
  };
  const threads = new Threads(deps);
  const runs = new Runs({ ...deps, threads, desk });
  return { routes: assistantRoutes({ assistants: new Assistants(deps), threads, runs }), desk };
}

/** The key of a run as a caller: whatever has become of it since, such as being blocked, holds now. */
async function callerOfRun(keys: Parts["keys"], verifier: KeyVerifier, { keyId, settings }: Run): Promise<KeyCaller> {
  if (keyId === MASTER.keyId) return MASTER;
  const found = await keys.find(keyId);
  if (!found) throw new GatewayError("authentication", "The key that made the run is gone.");
  return verifier.verifyStored(found.key.hash, () => settings.source.address);
}

/** The least that a deployment of the group takes in, so that a prompt fits whichever serves it. */
function contextOf({ catalog, prices }: GatewayDeps, model: string): number | null {
  const known = catalog()
    .resolve(model)
    .map((deployment) => prices.find(deployment)?.maxInputTokens ?? null)
    .filter((tokens) => tokens !== null);
  return known.length === 0 ? null : Math.min(...known);
}
