import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MASTER } from "../../src/accounts/key-standing.ts";
import { RunWatch } from "../../src/assistants/run-events.ts";
import type { Run, RunStatus } from "../../src/assistants/run-records.ts";
import { GatewayError } from "../../src/contract/errors.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import { DATABASES, type FreshDatabase, migratedDatabase } from "../storage/databases.ts";
import { type ModelAnswer, RunWorld } from "./run-world.ts";

/** As the interface documents it. */
const DOCUMENTED: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ["in_progress", "cancelling", "failed", "expired"],
  in_progress: ["requires_action", "cancelling", "completed", "incomplete", "failed", "expired"],
  requires_action: ["queued", "cancelling", "failed", "expired"],
  cancelling: ["cancelled"],
  cancelled: [],
  failed: [],
  completed: [],
  incomplete: [],
  expired: [],
};
const HOUR_MS = 3_600_000;

type Move =
  | { readonly do: "create" | "submit" | "cancel" | "tick" | "crash" | "replace"; readonly process: number }
  | { readonly do: "answer"; readonly which: number; readonly kind: ModelAnswer }
  | { readonly do: "wait"; readonly ms: number };

const process = fc.nat({ max: 1 });
const at = <const D extends string>(name: D) => fc.record({ do: fc.constant(name), process });
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: at("create") },
  { weight: 2, arbitrary: at("submit") },
  { weight: 1, arbitrary: at("cancel") },
  { weight: 4, arbitrary: at("tick") },
  { weight: 1, arbitrary: at("crash") },
  // The one that is gone may still answer: it was only thought to be gone.
  { weight: 2, arbitrary: at("replace") },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      which: fc.nat({ max: 5 }),
      kind: fc.constantFrom("text", "text", "call", "call", "length", "error", "cut"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1_000, 16_000, 16_000, 601_000) }),
  },
);

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the states of runs on ${kind}`, () => {
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

    /** Refusals are part of life; a fault of ours is not. */
    const tolerant = async (work: () => Promise<unknown>): Promise<void> => {
      try {
        await work();
      } catch (thrown) {
        if (!(thrown instanceof GatewayError) || thrown.kind === "internal") throw thrown;
      }
    };

    async function make(world: RunWorld, move: Move, place: { threadId: string; assistantId: string }): Promise<void> {
      const { threadId } = place;
      if (move.do === "wait") return world.clock.step(move.ms);
      if (move.do === "answer") return world.pending[move.which % Math.max(1, world.pending.length)]?.answer(move.kind);
      if (move.do === "crash") return world.startProcess(move.process);
      if (move.do === "replace") {
        world.startProcess(move.process);
        world.clock.step(16_000);
      }
      const { desk, runs } = world.process(move.process);
      if (move.do === "tick" || move.do === "replace") return desk.tick();
      if (move.do === "create") {
        return tolerant(() => runs.create(MASTER, threadId, world.newRun(place.assistantId)));
      }
      const [last] = (
        await storage.assistants.runs.list(threadId, { order: "desc", limit: 1, after: null, before: null })
      ).rows;
      if (!last) return;
      if (move.do === "cancel") return tolerant(() => runs.cancel(MASTER, threadId, last.id));
      const outputs = new Map((last.progress.waitsFor ?? []).map(({ id }) => [id, "done"]));
      return tolerant(() => runs.submit(MASTER, threadId, last.id, outputs));
    }

    async function play(moves: readonly Move[]): Promise<void> {
      const world = new RunWorld(storage.assistants, 2);
      const place = await world.newThread();
      const list = async () =>
        (await storage.assistants.runs.list(place.threadId, { order: "asc", limit: 100, after: null, before: null }))
          .rows;
      for (const move of moves) {
        await make(world, move, place);
        await world.settle();
        const active = (await list()).filter(({ status }) => DOCUMENTED[status].length > 0);
        expect(active.length).toBeLessThanOrEqual(1);
      }
      for (const [from, to] of world.moves)
        expect(`${from} -> ${DOCUMENTED[from].includes(to) ? "a state" : to}`).toBe(`${from} -> a state`);
      // Whatever has happened, in the end every run is at one of its ends, and so is everything that it made.
      world.clock.step(HOUR_MS);
      world.startProcess(0);
      for (let at = 0; at < 3; at++) {
        await world.process(0).desk.tick();
        await world.settle();
      }
      const { stores } = { stores: storage.assistants };
      for (const run of await list()) {
        expect(DOCUMENTED[run.status]).toEqual([]);
        const steps = await stores.steps.listAll(run.id);
        expect(steps.map(({ status }) => status)).not.toContain("in_progress");
        const { rows } = await stores.messages.list(
          place.threadId,
          { order: "asc", limit: 100, after: null, before: null },
          run.id,
        );
        expect(rows.map(({ status }) => status)).not.toContain("in_progress");
        // What a process said that had lost the run is not in the thread: one run, one answer.
        if (run.status === "completed") expect(rows.map(({ status }) => status)).toEqual(["completed"]);
        expect(rows.length).toBeLessThanOrEqual(1);
      }
      for (const { answer } of world.pending) answer("error");
      await world.settle();
    }

    test("only documented ones follow each other, whatever happens in whatever order", async () => {
      const runs = kind === "sqlite" ? 150 : 40;
      const moves = fc.array(anyMove, { minLength: 3, maxLength: 25 });
      await fc.assert(fc.asyncProperty(moves, play), { numRuns: runs });
    }, 120_000);

    test("a run whose process is gone is taken up by another and answered once", async () => {
      const world = new RunWorld(storage.assistants, 2);
      const { threadId, assistantId } = await world.newThread();
      const run = await world.process(0).runs.create(MASTER, threadId, world.newRun(assistantId));
      await world.settle();
      expect(world.pending).toHaveLength(1);
      const [old] = world.pending;
      await world.process(1).desk.tick();
      await world.settle();
      expect(world.pending).toHaveLength(1);
      world.clock.step(31_000);
      await world.process(1).desk.tick();
      await world.settle();
      expect(world.pending).toHaveLength(2);
      world.pending.find((pending) => pending !== old)?.answer("text");
      await world.settle();
      old?.answer("text");
      await world.settle();
      expect(await world.process(0).runs.get(MASTER, threadId, run.id)).toMatchObject({
        status: "completed",
        attempts: 1,
      });
      const cursor = { order: "asc" as const, limit: 10, after: null, before: null };
      expect((await storage.assistants.messages.list(threadId, cursor, run.id)).rows).toHaveLength(1);
    });

    test("a run that ends its processes again and again is failed with a reason", async () => {
      const world = new RunWorld(storage.assistants, 1);
      const { threadId, assistantId } = await world.newThread();
      const run = await world.process(0).runs.create(MASTER, threadId, world.newRun(assistantId));
      await world.settle();
      for (let at = 0; at < 4; at++) {
        await world.goOnAfter(31_000);
      }
      const found = await world.process(0).runs.get(MASTER, threadId, run.id);
      expect(found).toMatchObject({ status: "failed", progress: { lastError: { code: "server_error" } } });
    });

    test("a run that another process is told to cancel is cancelled where it is carried out", async () => {
      const world = new RunWorld(storage.assistants, 2);
      const { threadId, assistantId } = await world.newThread();
      const watch = new RunWatch();
      const run = await world.process(0).runs.create(MASTER, threadId, world.newRun(assistantId), watch);
      await world.settle();
      expect((await world.process(1).runs.cancel(MASTER, threadId, run.id)).status).toBe("cancelling");
      await world.process(0).desk.tick();
      await world.settle();
      expect(world.pending).toEqual([]);
      const names: string[] = [];
      for (let event = await watch.next(); event; event = await watch.next()) {
        if (event.kind === "run") names.push(event.name);
      }
      expect(names).toEqual(["created", "queued", "in_progress", "cancelling", "cancelled"]);
      expect((await world.process(1).runs.get(MASTER, threadId, run.id)).status).toBe("cancelled");
    });

    test("a run that a living process has left behind comes to its end, however busy that process is", async () => {
      const world = new RunWorld(storage.assistants, 1);
      const [busy, left] = [await world.newThread(), await world.newThread()];
      const { runs, desk } = world.process(0);
      const run = await runs.create(MASTER, left.threadId, world.newRun(left.assistantId));
      await world.settle();
      world.isCutOff = () => true;
      world.pending[0]?.answer("text");
      await world.settle();
      world.isCutOff = () => false;
      await runs.create(MASTER, busy.threadId, world.newRun(busy.assistantId));
      for (let at = 0; at < 17; at++) {
        world.clock.step(1_000);
        await desk.tick();
        await world.settle();
      }
      world.pending.find((pending) => pending.run.id === run.id)?.answer("text");
      await world.settle();
      expect((await runs.get(MASTER, left.threadId, run.id)).status).toBe("completed");
      for (const { answer } of world.pending) answer("error");
      await world.settle();
    });

    test("a run that is cancelled before it is begun is at its end at once, and its stream says so", async () => {
      const world = new RunWorld(storage.assistants, 1);
      const { threadId, assistantId } = await world.newThread();
      const { runs, desk } = world.process(0);
      const watch = new RunWatch();
      const before = Promise.withResolvers<void>();
      const start = desk.start.bind(desk);
      desk.start = (run, watching) => void before.promise.then(() => start(run, watching));
      const run = await runs.create(MASTER, threadId, world.newRun(assistantId), watch);
      expect((await runs.cancel(MASTER, threadId, run.id)).status).toBe("cancelling");
      before.resolve();
      const names: string[] = [];
      for (let event = await watch.next(); event; event = await watch.next()) {
        names.push("name" in event ? event.name : event.kind);
      }
      expect(names).toEqual(["created", "queued", "cancelled"]);
      expect((await runs.get(MASTER, threadId, run.id)).status).toBe("cancelled");
    });

    test("a stream whose thread is deleted says that the run is gone", async () => {
      const world = new RunWorld(storage.assistants, 1);
      const { threadId, assistantId } = await world.newThread();
      const watch = new RunWatch();
      await world.process(0).runs.create(MASTER, threadId, world.newRun(assistantId), watch);
      await world.settle();
      await world.threads.remove(MASTER, threadId);
      world.pending[0]?.answer("text");
      const kinds: string[] = [];
      for (let event = await watch.next(); event; event = await watch.next()) kinds.push(event.kind);
      expect(kinds.at(-1)).toBe("error");
    });

    for (const [when, answers, isCutOff] of [
      ["between its last word and its end", "text", ({ status }) => status !== "in_progress"],
      ["between what it said and what it calls", "cut", () => false],
    ] as const satisfies [string, ModelAnswer, (run: Run) => boolean][]) {
      test(`a run whose process is gone ${when} says it once`, async () => {
        const world = new RunWorld(storage.assistants, 1);
        const { threadId, assistantId } = await world.newThread();
        const run = await world.process(0).runs.create(MASTER, threadId, world.newRun(assistantId));
        await world.settle();
        world.isCutOff = isCutOff;
        world.pending[0]?.answer(answers);
        await world.settle();
        world.isCutOff = () => false;
        await world.goOnAfter(16_000);
        world.pending.at(-1)?.answer("text");
        await world.settle();
        expect((await world.process(0).runs.get(MASTER, threadId, run.id)).status).toBe("completed");
        const cursor = { order: "asc" as const, limit: 10, after: null, before: null };
        const { rows } = await storage.assistants.messages.list(threadId, cursor, run.id);
        expect(rows.map(({ content }) => content)).toEqual([
          [{ type: "text", text: { value: "said", annotations: [] } }],
        ]);
        expect(await storage.assistants.steps.listAll(run.id)).toHaveLength(1);
      });
    }

    test("a run whose process is gone keeps what it said behind calls that were answered", async () => {
      const world = new RunWorld(storage.assistants, 1);
      const { threadId, assistantId } = await world.newThread();
      const run = await world.process(0).runs.create(MASTER, threadId, world.newRun(assistantId));
      await world.settle();
      world.pending[0]?.answer("talk");
      await world.settle();
      const { progress } = await world.process(0).runs.get(MASTER, threadId, run.id);
      const outputs = new Map((progress.waitsFor ?? []).map(({ id }) => [id, "sun"]));
      await world.process(0).runs.submit(MASTER, threadId, run.id, outputs);
      await world.settle();
      world.pending.at(-1)?.answer("cut");
      await world.settle();
      await world.goOnAfter(16_000);
      world.pending.at(-1)?.answer("text");
      await world.settle();
      const cursor = { order: "asc" as const, limit: 10, after: null, before: null };
      const { rows } = await storage.assistants.messages.list(threadId, cursor, run.id);
      expect(rows.map(({ status, content: [part] }) => [status, part?.type === "text" && part.text.value])).toEqual([
        ["completed", "wait"],
        ["completed", "said"],
      ]);
    });

    test("a process that stops leaves its runs for others to take up at once", async () => {
      const world = new RunWorld(storage.assistants, 2);
      const { threadId, assistantId } = await world.newThread();
      const run = await world.process(0).runs.create(MASTER, threadId, world.newRun(assistantId));
      await world.settle();
      await world.process(0).desk.stop(0);
      await world.process(1).desk.tick();
      await world.settle();
      world.pending.at(-1)?.answer("text");
      await world.settle();
      expect((await world.process(1).runs.get(MASTER, threadId, run.id)).status).toBe("completed");
    });

    test("a run that nobody answers is over after ten minutes, and its thread is free", async () => {
      const world = new RunWorld(storage.assistants, 1);
      const { threadId, assistantId } = await world.newThread();
      const { runs } = world.process(0);
      const run = await runs.create(MASTER, threadId, world.newRun(assistantId));
      await world.settle();
      world.pending[0]?.answer("call");
      await world.settle();
      expect((await runs.get(MASTER, threadId, run.id)).status).toBe("requires_action");
      world.clock.step(600_001);
      expect((await runs.get(MASTER, threadId, run.id)).status).toBe("expired");
      const [step] = await storage.assistants.steps.listAll(run.id);
      expect(step?.status).toBe("expired");
      expect((await runs.create(MASTER, threadId, world.newRun(assistantId))).status).toBe("queued");
      await world.settle();
      for (const { answer } of world.pending) answer("error");
      await world.settle();
    });
  });
}
