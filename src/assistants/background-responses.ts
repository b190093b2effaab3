import type { KeyCaller } from "../contract/caller.ts";
import type { Owner } from "../contract/cursor.ts";
import { GatewayError } from "../contract/errors.ts";
import type { ResponseAnswer, ResponseItem } from "../contract/responses.ts";
import type { Clock } from "../lib/clock.ts";
import { LEASE_MS } from "../lib/leased-task-runner.ts";
import { seal, unseal } from "../lib/seal.ts";
import type { BackgroundRunner } from "./background-desk.ts";
import { cancel } from "./background-states.ts";
import type { BackgroundResponse, BackgroundStore, ToldEvents } from "./background-store.ts";
import type { KeptResponses } from "./kept-responses.ts";

/** How soon is heard what another process has written. */
const LISTEN_MS = 250;
/** How long the events of one are kept past its end, for who has lost the connection. */
const EVENTS_KEPT_MS = 3_600_000;

export interface BackgroundDeps {
  readonly kept: KeptResponses;
  readonly store: BackgroundStore;
  readonly desk: BackgroundRunner;
  readonly sealingKey: Uint8Array;
  readonly clock: Clock;
}

/** What is asked for in the background. */
export interface NewBackground {
  readonly previousId: string | null;
  readonly input: readonly ResponseItem[];
  readonly answer: ResponseAnswer;
  /** Whatever is needed to carry it out, beside the input. */
  readonly asked: object;
  /** Of one that is streamed, the first events. */
  readonly events: string;
}

/** Responses that are carried out behind their calls. */
export class BackgroundResponses {
  constructor(private readonly deps: BackgroundDeps) {}

  /** It waits for its turn when this answers. */
  async create(caller: KeyCaller, { previousId, input, answer, asked, events }: NewBackground): Promise<void> {
    const { kept, store, desk, sealingKey, clock } = this.deps;
    const { id } = answer;
    const record = kept.recordOf(caller, previousId, input, answer);
    if (!record) {
      throw new GatewayError("invalid_request", "What is put in is too long to be kept, as the background needs it.", {
        param: "background",
      });
    }
    await kept.admit(caller, record);
    const work: BackgroundResponse = {
      id,
      keyId: caller.keyId,
      status: "queued",
      leaseOwner: desk.owner,
      leaseUntil: clock.nowMs() + LEASE_MS,
      endedAt: null,
      told: 0,
      asked: seal(sealingKey, useOf(id), JSON.stringify(asked)),
    };
    await store.insert(record, { work, events });
    desk.start(work);
  }

  /** The one that it is at its end, however it came there. */
  async cancel(owner: Owner, id: string): Promise<ResponseAnswer> {
    const { kept, store, desk, clock } = this.deps;
    const { answer } = await kept.get(owner, id);
    if (answer.background !== true) {
      throw new GatewayError("invalid_request", "Only a response in the background can be cancelled.");
    }
    const moved = await store.change(id, (work, found) => cancel(work, found, clock.nowMs()));
    desk.halt(id, "lost");
    return moved?.answer ?? (await kept.get(owner, id)).answer;
  }

  /** What is under way is stopped with it. */
  async remove(owner: Owner, id: string): Promise<void> {
    await this.deps.kept.remove(owner, id);
    this.deps.desk.halt(id, "lost");
  }

  find(id: string): Promise<BackgroundResponse | null> {
    return this.deps.store.find(id);
  }

  /** The next events behind a number, when there are some; null when none will come, or nobody waits for them any more. */
  async eventsAfter(id: string, after: number, isLeft: () => boolean): Promise<ToldEvents | null> {
    const { store, desk } = this.deps;
    while (!isLeft()) {
      // Asked first: what is at its end has all of its events.
      const found = await store.find(id);
      const told = await store.eventsAfter(id, after);
      if (told) return told;
      if (!found || found.status === "ended") return null;
      await desk.written(id, LISTEN_MS);
    }
    return null;
  }

  /** Called now and then. */
  async tidy(): Promise<void> {
    await this.deps.store.removeEnded(this.deps.clock.nowMs() - EVENTS_KEPT_MS);
  }
}

const useOf = (id: string): string => `background:${id}`;

/** What was handed in when it was created. */
export const askedOf = (sealingKey: Uint8Array, { id, asked }: BackgroundResponse): unknown =>
  JSON.parse(unseal(sealingKey, useOf(id), asked));
