import { MASTER } from "../../src/accounts/key-standing.ts";
import type { BatchFiles, CallAnswer } from "../../src/batches/batch-deps.ts";
import { BatchRunner } from "../../src/batches/batch-desk.ts";
import { Batches } from "../../src/batches/batches.ts";
import type { Batch } from "../../src/batches/records.ts";
import type { BatchStore } from "../../src/batches/store.ts";
import { GatewayError } from "../../src/contract/errors.ts";
import { createLogger } from "../../src/lib/log.ts";
import type { Storage } from "../../src/storage/open.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { chat, request } from "./batch-files.ts";

/** A call that is answered when the test says so. */
export interface PendingCall {
  readonly desk: BatchRunner;
  readonly said: string;
  answer(status?: number): void;
  later(waitMs: number): void;
}

const NOWHERE = { address: null, userAgent: null, tags: null };

/** Processes over one database, whose time, files and models a test decides about. */
export class BatchWorld {
  readonly clock = new SteppedClock();
  /** Whether the database does not answer, to nobody. */
  isAway = false;
  readonly calls: PendingCall[] = [];
  /** What was asked, as often as it was. */
  readonly asked: string[] = [];
  readonly written = new Map<string, string>();
  readonly texts = new Map<string, string>();

  private readonly store: BatchStore;

  constructor(private readonly storage: Storage) {
    this.store = new Proxy(storage.batches, {
      get: (store, name: keyof BatchStore) => {
        if (this.isAway) throw new GatewayError("database", "away");
        return store[name];
      },
    });
  }

  newProcess(): { readonly desk: BatchRunner; readonly batches: Batches } {
    const deps = { store: this.store, files: this.files, clock: this.clock };
    const desk: BatchRunner = new BatchRunner({
      ...deps,
      call: (_, body, signal) => this.call(desk, body, signal),
      lineBytesMax: 100_000,
      log: createLogger("error", () => undefined),
    });
    return { desk, batches: new Batches({ ...deps, desk }) };
  }

  /** A batch of the master key, of chats that say these words. */
  async newBatch(batches: Batches, words: readonly string[]): Promise<Batch> {
    const inputFileId = `file-${crypto.randomUUID()}`;
    this.texts.set(inputFileId, words.map((word) => request(word, chat(word))).join("\n"));
    const about = { completionWindow: "24h", outputExpiresAfterMs: null, metadata: null, source: NOWHERE };
    return batches.create(MASTER, { inputFileId, endpoint: "/v1/chat/completions", ...about });
  }

  find = async ({ id }: Batch): Promise<Batch> => {
    const found = await this.storage.batches.find(MASTER, id);
    if (!found) throw new Error("the batch is gone");
    return found;
  };

  /** Waits until a call of each of these words is under way. */
  async whenCalled(...words: string[]): Promise<void> {
    while (!words.every((word) => this.calls.some(({ said }) => said === word))) await Bun.sleep(1);
  }

  take(word: string): PendingCall {
    const at = this.calls.findIndex(({ said }) => said === word);
    const [call] = this.calls.splice(at, 1);
    if (at < 0 || !call) throw new Error(`${word} is not being asked`);
    return call;
  }

  /** The words in a file of results, in their order. */
  wordsIn(fileId: string): string[] {
    const text = this.written.get(fileId);
    if (text === undefined) return [];
    return text
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
  }

  private readonly files: BatchFiles = {
    purposeOf: async () => "batch",
    read: async (_, id) => {
      const text = this.texts.get(id);
      return text === undefined ? null : new Blob([text]).stream();
    },
    write: async (_, { id, bytes }) => {
      this.written.set(id, await new Response(bytes).text());
    },
  };

  private async call(desk: BatchRunner, body: object, signal: AbortSignal): Promise<CallAnswer> {
    const said = (body as ReturnType<typeof chat>).messages[0]?.content ?? "";
    this.asked.push(said);
    const answered = Promise.withResolvers<CallAnswer>();
    const pending: PendingCall = {
      desk,
      said,
      answer: (status = 200) => answered.resolve({ kind: "answer", status, requestId: "r", body: { said } }),
      later: (waitMs) => answered.resolve({ kind: "later", waitMs }),
    };
    this.calls.push(pending);
    const leave = () => {
      const at = this.calls.indexOf(pending);
      if (at >= 0) this.calls.splice(at, 1);
      answered.resolve({ kind: "answer", status: 500, requestId: "r", body: "broken off" });
    };
    signal.addEventListener("abort", leave);
    return answered.promise;
  }
}
