import { MASTER } from "../accounts/key-standing.ts";
import type { KeyVerifier } from "../accounts/key-verifier.ts";
import type { KeyStore } from "../accounts/store.ts";
import { Assistants } from "../assistants/assistants.ts";
import { RunExecutor } from "../assistants/run-desk.ts";
import { Runs } from "../assistants/runs.ts";
import { Threads } from "../assistants/threads.ts";
import { countTokens } from "../catalog/tokenizer.ts";
import type { KeyCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { ReadingQueue } from "../files/reading/reading-queue.ts";
import type { GatewayDeps } from "../gateway/call/gateway.ts";
import { callModel } from "../gateway/interfaces/internal/call-model.ts";
import { resolveForCaller } from "../gateway/pipeline/authorize-model.ts";
import type { Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { assistantRoutes } from "../routes/assistants/assistant-routes.ts";
import type { Storage } from "../storage/open.ts";
import { type CallerOfKey, composeFiles, type FileParts, type KeptFiles, searchForRun } from "./compose-files.ts";
import type { LiveConfig } from "./live-config.ts";

interface Parts {
  readonly storage: Storage;
  /** The queue of the supervisor; null where there is none. */
  readonly reading: ReadingQueue | null;
  readonly live: LiveConfig;
  readonly kept: KeptFiles;
  readonly verifier: KeyVerifier;
  readonly gateway: GatewayDeps;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface AssistantParts {
  readonly routes: Route[];
  readonly desk: RunExecutor;
  readonly files: FileParts;
  /** A key as a caller, for what is done behind its calls. */
  readonly callerOf: CallerOfKey;
}

/** Assistants, their conversations, runs and files. */
export function composeAssistants({
  storage,
  kept,
  reading,
  live,
  verifier,
  gateway,
  clock,
  log,
}: Parts): AssistantParts {
  const callerOf = callerOfKey(storage.accounts.keys, verifier);
  const requireModel = (caller: KeyCaller, model: string) => {
    resolveForCaller(gateway.catalog(), caller, model);
  };
  const files = composeFiles({
    ...{ stores: storage.files, kept, reading, live, gateway },
    ...{ callerOf, requireModel, clock, log },
  });
  const shared = { stores: storage.assistants, files: files.port, clock };
  const desk = new RunExecutor({
    ...shared,
    countTokens: (text) => countTokens(text),
    contextOf: (model) => contextOf(gateway, model),
    async ask(run, request, signal, onCost) {
      const caller = await callerOf(run.keyId, run.settings.source.address);
      return callModel(gateway, caller, run, request, signal, onCost);
    },
    search: (run, query, signal, onCost) => searchForRun(files, run, query, signal, onCost),
    log,
  });
  const deps = { ...shared, servedTools: new Set(["function", "file_search"] as const), requireModel };
  const threads = new Threads(deps);
  const runs = new Runs({ ...deps, threads, desk });
  const routes = [...assistantRoutes({ assistants: new Assistants(deps), threads, runs }), ...files.routes];
  return { routes, desk, files, callerOf };
}

/** A key as a caller, for what is done behind its calls: whatever has become of it since, such as being blocked, holds now. */
export const callerOfKey =
  (keys: Pick<KeyStore, "find">, verifier: KeyVerifier): CallerOfKey =>
  async (keyId, address) => {
    if (keyId === MASTER.keyId) return MASTER;
    const found = await keys.find(keyId);
    if (!found) throw new GatewayError("authentication", "The key that asked for it is gone.");
    return verifier.verifyStored(found.key.hash, { remoteAddress: address });
  };

/** The least that a deployment of the group takes in, so that a prompt fits whichever serves it. */
function contextOf({ catalog, prices }: GatewayDeps, model: string): number | null {
  const known = catalog()
    .resolve(model)
    .map((deployment) => prices.find(deployment)?.maxInputTokens ?? null)
    .filter((tokens) => tokens !== null);
  return known.length === 0 ? null : Math.min(...known);
}
