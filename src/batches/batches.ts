import type { Metadata } from "../contract/assistants/parts.ts";
import { BATCH_ENDPOINTS } from "../contract/batches.ts";
import type { KeyCaller } from "../contract/caller.ts";
import type { Cursor, Owner, Slice } from "../contract/cursor.ts";
import { GatewayError } from "../contract/errors.ts";
import { requireFound } from "../contract/require-found.ts";
import type { Clock } from "../lib/clock.ts";
import { newNamedId } from "../lib/ids.ts";
import type { BatchFiles } from "./batch-deps.ts";
import type { BatchRunner } from "./batch-desk.ts";
import { askCancel, NO_PROGRESS } from "./batch-states.ts";
import type { AskedBatch, Batch } from "./records.ts";
import type { BatchStore } from "./store.ts";

const WINDOW_MS = 24 * 60 * 60_000;
/** Of one team, that have not come to their end. */
const ACTIVE_MAX = 50;

export interface NewBatch {
  readonly inputFileId: string;
  readonly endpoint: string;
  readonly completionWindow: string;
  readonly outputExpiresAfterMs: number | null;
  readonly metadata: Metadata | null;
  readonly source: AskedBatch["source"];
}

/** Files of calls that are carried out behind everything else. They belong to the team of the key. */
export class Batches {
  constructor(
    private readonly deps: {
      readonly store: BatchStore;
      readonly files: Pick<BatchFiles, "purposeOf">;
      readonly desk: BatchRunner;
      readonly clock: Clock;
    },
  ) {}

  /** It waits for a process to take it up when this answers. */
  async create(caller: KeyCaller, given: NewBatch): Promise<Batch> {
    const { store, files, clock } = this.deps;
    const { inputFileId, completionWindow, outputExpiresAfterMs, metadata, source } = given;
    const endpoint = BATCH_ENDPOINTS.find((one) => one === given.endpoint);
    if (!endpoint) throw refused("endpoint", `A batch calls one of ${BATCH_ENDPOINTS.join(", ")}.`);
    if (completionWindow !== "24h") throw refused("completion_window", "The completion window is `24h`.");
    if ((await files.purposeOf(caller, inputFileId)) !== "batch") {
      throw refused("input_file_id", "The file was not uploaded with the purpose `batch`.");
    }
    if ((await store.countActive(caller)) >= ACTIVE_MAX) {
      throw new GatewayError(
        "rate_limit",
        `A team has at most ${ACTIVE_MAX} batches at one time; wait for one to end.`,
        {
          headers: { "retry-after": "60" },
        },
      );
    }
    const now = clock.nowMs();
    const named = { outputFileId: newNamedId("file-"), errorFileId: newNamedId("file-") };
    const batch: Batch = {
      id: newNamedId("batch_"),
      teamId: caller.teamId,
      keyId: caller.keyId,
      createdAt: now,
      expiresAt: now + WINDOW_MS,
      status: "validating",
      leaseOwner: null,
      leaseUntil: null,
      attempts: 0,
      total: 0,
      completed: 0,
      failed: 0,
      asked: { endpoint, inputFileId, completionWindow, outputExpiresAfterMs, metadata, source, ...named },
      progress: NO_PROGRESS,
    };
    await store.insert(batch);
    return batch;
  }

  async get(owner: Owner, id: string): Promise<Batch> {
    return requireFound(await this.deps.store.find(owner, id), "batch", id);
  }

  list(owner: Owner, cursor: Cursor): Promise<Slice<Batch>> {
    return this.deps.store.list(owner, cursor);
  }

  /** Whoever carries it out stops; asked again, it is still stopping. */
  async cancel(owner: Owner, id: string): Promise<Batch> {
    const { store, desk, clock } = this.deps;
    await this.get(owner, id);
    const cancelling = await store.change(id, (found) => askCancel(found, clock.nowMs()));
    if (cancelling) {
      desk.halt(id, "cancelled");
      return cancelling;
    }
    const batch = await this.get(owner, id);
    if (batch.status === "cancelling" || batch.status === "cancelled") return batch;
    throw new GatewayError("invalid_request", `A batch that is \`${batch.status}\` cannot be cancelled.`);
  }
}

const refused = (param: string, message: string): GatewayError =>
  new GatewayError("invalid_request", message, { param });
