import type { KeyVerifier } from "../accounts/key-verifier.ts";
import { BackgroundRunner } from "../assistants/background-desk.ts";
import { askedOf, BackgroundResponses } from "../assistants/background-responses.ts";
import { Conversations } from "../assistants/conversations.ts";
import { KeptResponses } from "../assistants/kept-responses.ts";
import type { StorageGate } from "../contract/files/storage-gate.ts";
import type { GatewayDeps } from "../gateway/call/gateway.ts";
import { answerBehind } from "../gateway/interfaces/responses/background.ts";
import type { Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { conversationRoutes } from "../routes/inference/conversations.ts";
import { keptResponseRoutes } from "../routes/inference/responses.ts";
import { alsoUnderApi } from "../routes/openrouter/under-api.ts";
import type { Storage } from "../storage/open.ts";
import { callerOfKey } from "./compose-assistants.ts";

interface Parts {
  readonly storage: Storage;
  readonly quotas: StorageGate;
  readonly verifier: KeyVerifier;
  readonly gateway: GatewayDeps;
  readonly sealingKey: Uint8Array;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ResponseParts {
  readonly kept: KeptResponses;
  readonly conversations: Conversations;
  readonly background: BackgroundResponses;
  readonly desk: BackgroundRunner;
  readonly routes: Route[];
}

/** Responses that are kept, and those that are carried out in the background. */
export function composeResponses(parts: Parts): ResponseParts {
  const { storage, quotas, verifier, gateway, sealingKey, clock, log } = parts;
  const kept = new KeptResponses({ store: storage.responses, storage: quotas, clock, log });
  const conversations = new Conversations({ store: storage.conversations, storage: quotas, clock, log });
  const answer = answerBehind({
    gateway,
    kept,
    conversations,
    callerOf: callerOfKey(storage.accounts.keys, verifier),
    askedOf: (work) => askedOf(sealingKey, work),
  });
  const desk = new BackgroundRunner({ store: storage.background, answer, clock, log });
  const background = new BackgroundResponses({ kept, store: storage.background, desk, sealingKey, clock });
  const routes = alsoUnderApi([
    ...keptResponseRoutes({ kept, conversations, background }),
    ...conversationRoutes({ kept, conversations }),
  ]);
  return { kept, conversations, background, desk, routes };
}
