import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/contract/errors.ts";
import type { BlobStore } from "../../src/files/blobs/blob-store.ts";
import { Indexer } from "../../src/files/indexer.ts";
import { FairReadingQueue } from "../../src/files/reading/reading-queue.ts";
import type { EntryStore } from "../../src/files/store.ts";
import { createLogger } from "../../src/lib/log.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES, type FreshDatabase, migratedDatabase } from "../storage/databases.ts";
import { newEntry, newStore } from "./new-entries.ts";

const TRIES = 100;
const PAUSE_MS = 100;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`reading files on ${kind}`, () => {
    let database: FreshDatabase;
    let storage: Storage;
    let vectorStoreId: string;
    beforeAll(async () => {
      database = await migratedDatabase(kind);
      storage = openStorage(database.settings);
      vectorStoreId = await newStore(storage);
    });
    afterAll(async () => {
      await storage?.close();
      database?.[Symbol.dispose]();
    });

    /** A process whose embedding model answers when `vectors` is resolved. */
    function newProcess(
      clock: SteppedClock,
      entries: Partial<EntryStore> = {},
      read: BlobStore["read"] = async () => new Blob(["A heron."]).stream(),
    ) {
      const vectors = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      const said: string[] = [];
      const indexer = new Indexer({
        stores: { ...storage.files, entries: { ...storage.files.entries, ...entries } },
        reading: new FairReadingQueue(() => performance.now()),
        blobs: { read } as Partial<BlobStore> as BlobStore,
        async embed(_, texts, signal) {
          asked.resolve();
          const left = Promise.withResolvers<never>();
          signal.addEventListener("abort", () => left.reject(signal.reason));
          await Promise.race([vectors.promise, left.promise]);
          return texts.map(() => Float32Array.of(1));
        },
        explain: String,
        clock,
        log: createLogger("warn", (line) => said.push(line)),
      });
      /** As the timer does it: a look that failed is made again. */
      async function tickUntilAsked(): Promise<void> {
        const isAsked = asked.promise.then(() => true);
        for (let tries = 0; tries < TRIES; tries++) {
          await indexer.tick();
          if (await Promise.race([isAsked, Bun.sleep(PAUSE_MS).then(() => false)])) return;
        }
        throw new Error(`the embedding model was not asked: ${said.join("") || "nothing was logged"}`);
      }
      return { indexer, vectors, tickUntilAsked };
    }
    const find = async (fileId: string) => storage.files.entries.find(vectorStoreId, fileId);

    test("goes on with a file that is put in while leases are renewed", async () => {
      const [first, second] = [await newEntry(storage, vectorStoreId), await newEntry(storage, vectorStoreId)];
      const renewing = Promise.withResolvers<void>();
      const started = Promise.withResolvers<void>();
      const { indexer, vectors } = newProcess(new SteppedClock(), {
        async renew(...given) {
          const held = await storage.files.entries.renew(...given);
          renewing.resolve();
          await started.promise;
          return held;
        },
      });
      indexer.start([first]);
      const ticked = indexer.tick();
      await renewing.promise;
      indexer.start([second]);
      started.resolve();
      await ticked;
      vectors.resolve();
      await indexer.idle();
      expect((await find(first.fileId))?.status).toBe("completed");
      expect((await find(second.fileId))?.status).toBe("completed");
    });

    test("goes on with a file that is still being taken while leases are renewed", async () => {
      const entry = await newEntry(storage, vectorStoreId);
      const renewed = Promise.withResolvers<void>();
      const { indexer, vectors } = newProcess(new SteppedClock(), {
        async change(...given) {
          await renewed.promise;
          return storage.files.entries.change(...given);
        },
      });
      await indexer.tick();
      await indexer.tick();
      renewed.resolve();
      vectors.resolve();
      await indexer.idle();
      expect(await find(entry.fileId)).toMatchObject({ status: "completed", attempts: 1 });
    });

    test("is left in order by a process that ends, as often as it likes, and given up by none", async () => {
      const entry = await newEntry(storage, vectorStoreId);
      const clock = new SteppedClock();
      for (let round = 0; round < 5; round++) {
        const { indexer, tickUntilAsked } = newProcess(clock);
        await tickUntilAsked();
        await indexer.stop();
        expect(await find(entry.fileId)).toMatchObject({ status: "in_progress", attempts: 0, leaseOwner: null });
      }
      const { indexer, vectors } = newProcess(clock);
      vectors.resolve();
      await indexer.tick();
      await indexer.idle();
      expect((await find(entry.fileId))?.status).toBe("completed");
    });

    test("is read again, and not given up, after the database was away", async () => {
      const entry = await newEntry(storage, vectorStoreId);
      let outages = 5;
      const { indexer, vectors } = newProcess(new SteppedClock(), {
        async findNamed(...given) {
          if (outages-- > 0) throw new GatewayError("database", "The database does not answer.");
          return storage.files.entries.findNamed(...given);
        },
      });
      vectors.resolve();
      for (let tick = 0; tick < 10; tick++) {
        await indexer.tick();
        await indexer.idle();
      }
      expect(await find(entry.fileId)).toMatchObject({ status: "completed", attempts: 1 });
    });

    test("is read again, and not given up, after the bucket was away for however long", async () => {
      const entry = await newEntry(storage, vectorStoreId);
      const clock = new SteppedClock();
      const away = { times: 5 };
      const { indexer, vectors } = newProcess(clock, {}, async () => {
        if (away.times-- > 0) throw new Error("connection refused");
        return new Blob(["A heron."]).stream();
      });
      vectors.resolve();
      for (let look = 0; look < 10; look++) {
        await indexer.tick();
        await indexer.idle();
        clock.step(20_000);
      }
      expect(await find(entry.fileId)).toMatchObject({ status: "completed", attempts: 1, lastError: null });
    });

    test("is given up where it ends its process again and again", async () => {
      const entry = await newEntry(storage, vectorStoreId);
      const clock = new SteppedClock();
      for (let round = 0; round < 3; round++) {
        await newProcess(clock).tickUntilAsked();
        clock.step(60_000);
      }
      const { indexer } = newProcess(clock);
      await indexer.tick();
      await indexer.idle();
      expect(await find(entry.fileId)).toMatchObject({ status: "failed", lastError: { code: "server_error" } });
    });
  });
}
