import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MASTER } from "../../src/accounts/key-standing.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import { DATABASES, type FreshDatabase, migratedDatabase } from "../storage/databases.ts";
import { BatchWorld } from "./batch-world.ts";

const DAY_MS = 86_400_000;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`carrying out batches on ${kind}`, () => {
    let database: FreshDatabase;
    let storage: Storage;
    beforeAll(async () => {
      database = await migratedDatabase(kind);
      storage = openStorage(database.settings);
    });
    afterAll(async () => {
      await storage?.close();
      database?.[Symbol.dispose]();
    });

    test("goes on after a process that died: what has a result is not asked again, and nothing is answered twice", async () => {
      const world = new BatchWorld(storage);
      const [dead, heir] = [world.newProcess(), world.newProcess()];
      const batch = await world.newBatch(dead.batches, ["a", "b", "c"]);
      await dead.desk.tick();
      await world.whenCalled("a", "b", "c");
      world.take("b").answer();
      while ((await world.find(batch)).completed < 1) await Bun.sleep(1);
      const [late] = [world.take("a")];
      world.take("c");
      await heir.desk.tick();
      expect(world.calls).toEqual([]);
      // The process is quiet for as long as its lease lasts.
      world.clock.step(15_001);
      await heir.desk.tick();
      await world.whenCalled("a", "c");
      // What comes to the first one now is nobody's any more.
      late.answer(500);
      world.take("a").answer();
      world.take("c").answer(400);
      await heir.desk.idle();
      const ended = await world.find(batch);
      expect(ended).toMatchObject({ status: "completed", total: 3, completed: 2, failed: 1 });
      expect(world.wordsIn(batch.asked.outputFileId)).toEqual(["a", "b"]);
      expect(world.wordsIn(batch.asked.errorFileId)).toEqual(["c"]);
      expect(world.asked.sort()).toEqual(["a", "a", "b", "c", "c"]);
      expect(await storage.batches.listDone(batch.id)).toEqual([]);
    });

    test("stays with its process when the clock is set, and is taken up when that is dead, whichever way it was set", async () => {
      for (const setMs of [3_600_000, -3_600_000]) {
        const world = new BatchWorld(storage);
        const [first, heir] = [world.newProcess(), world.newProcess()];
        const batch = await world.newBatch(first.batches, ["a", "b"]);
        await first.desk.tick();
        await world.whenCalled("a", "b");
        world.clock.set(setMs);
        // Whoever looks first: by its clock the lease is over, or nobody's.
        await heir.desk.tick();
        await first.desk.tick();
        await heir.desk.tick();
        world.take("a").answer();
        while ((await world.find(batch)).completed < 1) await Bun.sleep(1);
        expect(world.asked.sort()).toEqual(["a", "b"]);
        // Now it is quiet, and the clock is set once more.
        world.take("b");
        world.clock.set(setMs);
        await heir.desk.tick();
        world.clock.step(15_001);
        await heir.desk.tick();
        await world.whenCalled("b");
        world.take("b").answer();
        await heir.desk.idle();
        expect(await world.find(batch)).toMatchObject({ status: "completed", completed: 2 });
      }
    });

    test("stays with its process when the database was away for longer than a lease, and what was answered meanwhile is kept", async () => {
      const world = new BatchWorld(storage);
      const [first, heir] = [world.newProcess(), world.newProcess()];
      const batch = await world.newBatch(first.batches, ["a", "b"]);
      await first.desk.tick();
      await world.whenCalled("a", "b");
      world.isAway = true;
      world.take("a").answer();
      for (let seconds = 0; seconds < 60; seconds++) {
        world.clock.step(1_000);
        await Promise.all([first.desk.tick(), heir.desk.tick()]);
      }
      world.isAway = false;
      // Whoever looks first.
      await heir.desk.tick();
      await first.desk.tick();
      while ((await world.find(batch)).completed < 1) await Bun.sleep(1);
      expect(world.asked.sort()).toEqual(["a", "b"]);
      // Now it is quiet: it is dead, and the time to renew leases is over.
      world.take("b");
      world.clock.step(15_001);
      await heir.desk.tick();
      await world.whenCalled("b");
      world.take("b").answer();
      await heir.desk.idle();
      expect(await world.find(batch)).toMatchObject({ status: "completed", completed: 2 });
      expect(world.asked.sort()).toEqual(["a", "b", "b"]);
    });

    test("tries a line again when its time has come, also where the clock was set back meanwhile", async () => {
      const world = new BatchWorld(storage);
      const { desk, batches } = world.newProcess();
      const batch = await world.newBatch(batches, ["a"]);
      await desk.tick();
      await world.whenCalled("a");
      world.take("a").later(30_000);
      await desk.tick();
      world.clock.set(-3_600_000);
      await desk.tick();
      expect(world.asked).toEqual(["a"]);
      world.clock.step(30_001);
      await desk.tick();
      await world.whenCalled("a");
      world.take("a").answer();
      await desk.idle();
      expect(await world.find(batch)).toMatchObject({ status: "completed", completed: 1 });
    });

    test("is left for others by a process that ends, when its calls have", async () => {
      const world = new BatchWorld(storage);
      const [first, second] = [world.newProcess(), world.newProcess()];
      const batch = await world.newBatch(first.batches, ["a", "b", "c", "d", "e", "f"]);
      await first.desk.tick();
      await world.whenCalled("a", "b", "c", "d");
      const stopping = first.desk.stop(60_000);
      for (const word of ["a", "b", "c", "d"]) world.take(word).answer();
      await stopping;
      expect(world.calls).toEqual([]);
      // At once, not when a lease is over.
      await second.desk.tick();
      await world.whenCalled("e", "f");
      for (const word of ["e", "f"]) world.take(word).answer();
      await second.desk.idle();
      expect(await world.find(batch)).toMatchObject({ status: "completed", completed: 6 });
      expect(world.asked.sort()).toEqual(["a", "b", "c", "d", "e", "f"]);
    });

    test("tries a line again that has to wait, when its time has come", async () => {
      const world = new BatchWorld(storage);
      const { desk, batches } = world.newProcess();
      const batch = await world.newBatch(batches, ["a"]);
      await desk.tick();
      await world.whenCalled("a");
      world.take("a").later(30_000);
      world.clock.step(10_000);
      await desk.tick();
      expect(world.asked).toEqual(["a"]);
      world.clock.step(20_001);
      // When the rest begins is left to the process, which is told of the time by every look.
      while (world.calls.length === 0) {
        await desk.tick();
        world.clock.step(1_000);
        await Bun.sleep(1);
      }
      world.take("a").answer();
      await desk.idle();
      expect(await world.find(batch)).toMatchObject({ status: "completed", completed: 1 });
      expect(world.asked).toEqual(["a", "a"]);
    });

    test("ends with the window: what is done is in the files, and so is what nobody called", async () => {
      const world = new BatchWorld(storage);
      const { desk, batches } = world.newProcess();
      const batch = await world.newBatch(batches, ["a", "b", "c", "d", "e", "f"]);
      await desk.tick();
      await world.whenCalled("a", "b", "c", "d");
      world.take("a").later(60_000);
      world.clock.step(DAY_MS);
      await desk.tick();
      // Calls that are under way come to their end.
      for (const word of ["b", "c", "d"]) world.take(word).answer();
      await desk.idle();
      const ended = await world.find(batch);
      expect(ended).toMatchObject({ status: "expired", total: 6, completed: 3, failed: 3 });
      expect(ended.progress.expiredAt).toBe(world.clock.nowMs());
      expect(world.wordsIn(batch.asked.outputFileId)).toEqual(["b", "c", "d"]);
      expect(world.wordsIn(batch.asked.errorFileId)).toEqual(["a", "e", "f"]);
      expect(world.written.get(batch.asked.errorFileId)).toContain('"code":"batch_expired"');
    });

    test("ends at its window where no process was there before it", async () => {
      const world = new BatchWorld(storage);
      const { desk, batches } = world.newProcess();
      const batch = await world.newBatch(batches, ["a"]);
      world.clock.step(DAY_MS);
      await desk.tick();
      await desk.idle();
      expect(await world.find(batch)).toMatchObject({ status: "expired", total: 1, completed: 0, failed: 1 });
      expect(world.asked).toEqual([]);
    });

    test("is cancelled at whichever process is asked", async () => {
      const world = new BatchWorld(storage);
      const [first, second] = [world.newProcess(), world.newProcess()];
      const batch = await world.newBatch(first.batches, ["a", "b", "c", "d", "e"]);
      await first.desk.tick();
      await world.whenCalled("a", "b", "c", "d");
      expect((await second.batches.cancel(MASTER, batch.id)).status).toBe("cancelling");
      await second.desk.tick();
      await first.desk.tick();
      for (const word of ["a", "b", "c", "d"]) world.take(word).answer();
      await first.desk.idle();
      expect(await world.find(batch)).toMatchObject({ status: "cancelled", completed: 4, failed: 1 });
      expect(world.wordsIn(batch.asked.outputFileId)).toEqual(["a", "b", "c", "d"]);
      expect(world.written.get(batch.asked.errorFileId)).toContain('"code":"batch_cancelled"');
      expect(world.asked).not.toContain("e");
    });

    test("keeps what was answered where its file is gone before the end", async () => {
      const world = new BatchWorld(storage);
      const [dead, heir] = [world.newProcess(), world.newProcess()];
      const batch = await world.newBatch(dead.batches, ["a", "b"]);
      await dead.desk.tick();
      await world.whenCalled("a", "b");
      world.take("a").answer();
      while ((await world.find(batch)).completed < 1) await Bun.sleep(1);
      world.texts.delete(batch.asked.inputFileId);
      world.clock.step(15_001);
      await heir.desk.tick();
      await heir.desk.idle();
      const ended = await world.find(batch);
      expect(ended).toMatchObject({ status: "failed", total: 2, completed: 1, failed: 0 });
      expect(ended.progress.faults).toMatchObject([{ code: "input_file_gone" }]);
      expect(world.wordsIn(batch.asked.outputFileId)).toEqual(["a"]);
    });

    test("is given up when process after process has died over it", async () => {
      const world = new BatchWorld(storage);
      const first = world.newProcess();
      const batch = await world.newBatch(first.batches, ["a", "b"]);
      await first.desk.tick();
      await world.whenCalled("a", "b");
      world.take("a").answer();
      while ((await world.find(batch)).completed < 1) await Bun.sleep(1);
      for (let deaths = 1; deaths <= 5; deaths++) {
        world.calls.length = 0;
        world.clock.step(15_001);
        await world.newProcess().desk.tick();
        await world.whenCalled("b");
      }
      world.clock.step(15_001);
      const last = world.newProcess();
      await last.desk.tick();
      await last.desk.idle();
      const ended = await world.find(batch);
      expect(ended).toMatchObject({ status: "failed", completed: 1, progress: { faults: [{ code: "server_error" }] } });
      expect(world.wordsIn(batch.asked.outputFileId)).toEqual(["a"]);
    });

    test("calls a few lines at a time, of all batches together", async () => {
      const world = new BatchWorld(storage);
      const { desk, batches } = world.newProcess();
      const made = [];
      for (const name of ["x", "y", "z"]) {
        const words = Array.from({ length: 6 }, (_, at) => `${name}${at}`);
        made.push(await world.newBatch(batches, words));
      }
      await desk.tick();
      let most = 0;
      for (let answered = 0; answered < 18; answered++) {
        while (world.calls.length === 0) await Bun.sleep(1);
        most = Math.max(most, world.calls.length);
        world.take(world.calls[0]?.said ?? "").answer();
      }
      await desk.idle();
      expect(most).toBeLessThanOrEqual(8);
      for (const batch of made) expect((await world.find(batch)).status).toBe("completed");
    });
  });
}
