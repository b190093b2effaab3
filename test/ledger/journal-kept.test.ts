import { expect, test } from "bun:test";
import fc from "fast-check";
import { LineBuffer, readLines } from "../../src/ledger/journal/line.ts";
import { runs } from "../property-runs.ts";
import { rejection } from "../storage/rejection.ts";
import { bench, endOf, openCall } from "./journal-bench.ts";
import { settle } from "./stepped-time.ts";

/** What happens in one tick, on a disk with so much room; null: with enough. */
const ticks = fc.array(
  fc.record({
    room: fc.oneof(fc.constant(null), fc.nat(4_000)),
    ends: fc.array(fc.oneof(fc.nat(100), fc.nat(30_000)), { maxLength: 4 }),
    opens: fc.nat(2),
    progress: fc.boolean(),
    waits: fc.boolean(),
  }),
  { minLength: 2, maxLength: 10 },
);
const CALLS = 40;

test("ends that a full disk has not taken are written once and whole, whatever has come in their place meanwhile", async () => {
  await fc.assert(
    fc.asyncProperty(ticks, async (steps) => {
      const { journal, files, time, read } = bench({ segmentBytesMax: 20_000 });
      const running = Array.from({ length: CALLS }, (_, index) => `c${index}`);
      await Promise.all(running.map((id) => journal.open(openCall(id))));
      const said = new Map<string, string>();
      const open = new Set(running);
      for (const [step, { room, ends, opens, progress, waits }] of steps.entries()) {
        files.capacity = room === null ? Number.POSITIVE_INFINITY : journal.standing.bytes + room;
        if (progress) for (const id of running.slice(0, 5)) journal.progress(id, { completionTokens: step }, 1n);
        for (const length of ends) {
          const id = running.shift();
          if (id === undefined) break;
          open.delete(id);
          said.set(id, `${id} 🚀`.repeat(length / 4));
          void journal.end({ ...endOf(id), metadata: { said: said.get(id) } }, ["wallet:org"]);
        }
        for (let index = 0; index < opens; index++) {
          const id = `${step}-${index}`;
          journal.open(openCall(id)).then(
            () => open.add(id),
            () => undefined,
          );
        }
        await settle();
        if (waits) await time.pass(1_000);
      }
      files.capacity = Number.POSITIVE_INFINITY;
      await time.pass(1_000);
      const { calls, segments } = read();
      expect(segments.every(({ damaged, tornBytes }) => damaged + tornBytes === 0)).toBe(true);
      const ended = calls.filter(({ record }) => record.status === "succeeded");
      expect(new Map(ended.map(({ record }) => [record.id, record.metadata.said]))).toEqual(said);
      const others = calls.filter(({ record }) => record.status === "aborted");
      expect(new Set(others.map(({ record }) => record.id))).toEqual(open);
      const lines = [...files.contents.values()].flatMap((bytes) => readLines(bytes).records as { k: string }[]);
      expect(lines.filter(({ k }) => k === "end")).toHaveLength(said.size);
    }),
    { numRuns: runs(200) },
  );
});

test("the ends of calls that run are on a full disk at once, and new calls wait until there is room for theirs", async () => {
  const { journal, files, time, read } = bench({ reserveBytes: 100_000 });
  const used = () => [...files.contents.values()].reduce((sum, { length }) => sum + length, 0);
  await Promise.all(["a", "b", "c"].map((id) => journal.open(openCall(id))));
  expect(used()).toBe(journal.standing.bytes + 100_000);
  files.capacity = used();
  const refused = rejection(journal.open(openCall("with the end")));
  await journal.end(endOf("a"), ["wallet:org"]);
  await journal.end(endOf("b"), ["wallet:org"]);
  expect(await refused).toMatchObject({ kind: "unavailable" });
  expect(journal.standing.kept).toBe(0);
  const statuses = () => new Map(read().calls.map(({ record: { id, status } }) => [id, status]));
  expect(statuses()).toEqual(new Map(Object.entries({ a: "succeeded", b: "succeeded", c: "aborted" })));
  await time.pass(1_000);
  expect(await rejection(journal.open(openCall("while it is full")))).toMatchObject({ kind: "unavailable" });
  expect(used()).toBe(journal.standing.bytes);
  files.capacity = Number.POSITIVE_INFINITY;
  await time.pass(1_000);
  await journal.open(openCall("d"));
  expect(used()).toBe(journal.standing.bytes + 100_000);
  await journal.end(endOf("c"), []);
  await journal.end(endOf("d"), []);
  journal.settled(["a", "b", "c", "d"]);
  await journal.close();
  expect(files.contents).toEqual(new Map());
});

test("what a full disk has no room for, even so, is kept in memory until it has", async () => {
  const { journal, files, time, read } = bench({ reserveBytes: 10 });
  await journal.open(openCall("a"));
  files.capacity = journal.standing.bytes + 10;
  await journal.end(endOf("a"), []);
  expect(journal.standing.kept).toBe(1);
  files.capacity = Number.POSITIVE_INFINITY;
  await time.pass(1_000);
  expect(read().calls.map(({ record }) => record.status)).toEqual(["succeeded"]);
});

test("a full disk refuses what ends without having been opened, and nothing of it is counted", async () => {
  const { journal, files, time, read, ended } = bench({ reserveBytes: 1_000 });
  await Promise.all(["a", "b"].map((id) => journal.open(openCall(id))));
  files.capacity = 0;
  await journal.end(endOf("a"), []);
  expect(await rejection(journal.end(endOf("a hit"), []))).toMatchObject({ kind: "unavailable" });
  await journal.end(endOf("b"), []);
  expect(journal.standing.kept).toBe(2);
  expect(ended.map(({ record }) => record.id)).toEqual(["a", "b"]);
  files.capacity = Number.POSITIVE_INFINITY;
  await time.pass(1_000);
  await journal.end(endOf("another hit"), []);
  expect(read().calls.map(({ record }) => record.id)).toEqual(["a", "b", "another hit"]);
});

test("a disk without room for one more call is found out to have it again without a call", async () => {
  const { journal, files, time, read } = bench({ reserveBytes: 1_000 });
  await journal.open(openCall("a"));
  const used = journal.standing.bytes + 1_000;
  files.capacity = used;
  expect(await rejection(journal.open(openCall("b")))).toMatchObject({ kind: "unavailable" });
  for (const capacity of [used, used + 10_000]) {
    files.capacity = capacity;
    await time.pass(1_000);
    expect(journal.standing.fault).toMatchObject({ thrown: { code: "ENOSPC" } });
  }
  files.capacity = Number.POSITIVE_INFINITY;
  await time.pass(1_000);
  expect(journal.standing.fault).toBeNull();
  await journal.open(openCall("c"));
  const { calls, segments } = read();
  expect(calls.map(({ record }) => record.id)).toEqual(["a", "c"]);
  expect(segments.every(({ damaged, tornBytes }) => damaged + tornBytes === 0)).toBe(true);
});

test("a line that outgrows its room has all its pieces, and so have those before it", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(40_000), { maxLength: 5 }), { minLength: 1, maxLength: 8 }), (all) => {
      const lines = new LineBuffer();
      const texts = all.map((lengths) => lengths.map((length, index) => `${index}ö`.repeat(length / 2)));
      for (const pieces of texts) {
        lines.begin().add('"');
        for (const piece of pieces) lines.add(piece);
        lines.add('"').finish();
      }
      const records = texts.map((pieces) => pieces.join(""));
      expect(readLines(lines.between(0, lines.end))).toEqual({ records, damaged: 0, tornBytes: 0 });
    }),
    { numRuns: 50 },
  );
});
