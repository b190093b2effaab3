import { describe, expect, test } from "bun:test";
import { openSync, writeSync } from "node:fs";
import fc from "fast-check";
import { LineBuffer, readLines } from "../../src/ledger/journal/line.ts";
import { runs } from "../property-runs.ts";
import { rejection } from "../storage/rejection.ts";
import { bench, endOf, openCall } from "./journal-bench.ts";
import { lineOf } from "./line-of.ts";
import { MemoryFiles } from "./memory-files.ts";
import { settle } from "./stepped-time.ts";

describe("a line", () => {
  test("of any record is read as it was written", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const lines = new LineBuffer();
        for (const value of values) {
          const json = JSON.stringify(value);
          // One that somebody gave up on is none.
          lines.begin().add("what was not to be");
          lines.begin().add(json.slice(0, 1)).add(json.slice(1)).finish();
        }
        const { records, damaged, tornBytes } = readLines(lines.between(0, lines.end));
        expect(JSON.stringify(records)).toBe(JSON.stringify(values));
        expect([damaged, tornBytes]).toEqual([0, 0]);
      }),
    );
  });

  test("has room, however long it is and however many there are", () => {
    const lines = new LineBuffer();
    const write = (texts: readonly string[]) => {
      for (const text of texts) lines.begin().add(JSON.stringify(text)).finish();
      return readLines(lines.between(0, lines.end));
    };
    const long = "Größe 🚀".repeat(300_000);
    expect(write(["first", long, "last"])).toEqual({ records: ["first", long, "last"], damaged: 0, tornBytes: 0 });
    lines.clear();
    expect(lines.end).toBe(0);
    const many = Array.from({ length: 5_000 }, (_, index) => `${index} 🚀`);
    expect(write(many)).toEqual({ records: many, damaged: 0, tornBytes: 0 });
  });

  test("that was cut off, wherever, is left out, and those before it are whole", () => {
    const values = fc.array(fc.record({ text: fc.string().map((text) => `${text} Größe 🚀\n`) }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(values, fc.nat(), (all, at) => {
        const lines = all.map((value) => lineOf(JSON.stringify(value)));
        const bytes = Buffer.concat(lines);
        const cut = at % bytes.length;
        let [whole, end] = [0, 0];
        for (; whole < lines.length && end + (lines[whole]?.length ?? 0) <= cut; whole++)
          end += lines[whole]?.length ?? 0;
        const { records, damaged, tornBytes } = readLines(bytes.subarray(0, cut));
        expect(JSON.stringify(records)).toBe(JSON.stringify(all.slice(0, whole)));
        expect([damaged, tornBytes]).toEqual([0, cut - end]);
      }),
    );
  });

  test("with any byte changed is told, and all others are read", () => {
    const values = fc.array(fc.record({ number: fc.nat(), text: fc.string() }), { minLength: 3, maxLength: 6 });
    fc.assert(
      fc.property(values, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (all, which, at, change) => {
        const lines = all.map((value) => lineOf(JSON.stringify(value)));
        // The end of the last line is the end of the file: without it there is no telling from a line that was cut off.
        const hit = which % lines.length;
        const line = lines[hit] as Buffer;
        const place = at % (line.length - Number(hit === lines.length - 1));
        line[place] = ((line[place] ?? 0) + change) % 256;
        const { records, damaged } = readLines(Buffer.concat(lines));
        // A line end that is lost takes the next line with it.
        const lost = place === line.length - 1 ? [hit, hit + 1] : [hit];
        expect(records).toEqual(all.filter((_, index) => !lost.includes(index)));
        expect(damaged).toBeGreaterThan(0);
      }),
    );
  });
});

describe("the usage journal", () => {
  test("what was opened and ended is read back whole; what was only opened is charged what it had used", async () => {
    const { journal, read, ended } = bench();
    await Promise.all([journal.open(openCall("a")), journal.open(openCall("b")), journal.open(openCall("c", 9n))]);
    journal.progress("b", { completionTokens: 4 }, 6n);
    journal.progress("b", { completionTokens: 9 }, 8n);
    journal.progress("c", { completionTokens: 1 }, 2n);
    journal.progress("never opened", {}, 99n);
    await journal.end(endOf("a"), ["wallet:org", "budget:x"]);
    await settle();
    expect(ended.map(({ record }) => record.id)).toEqual(["a"]);
    const { calls, segments } = read();
    expect(segments).toMatchObject([{ damaged: 0, tornBytes: 0 }]);
    const byId = Object.fromEntries(calls.map((call) => [call.record.id, call]));
    expect(byId.a).toEqual({ record: endOf("a"), creditSources: ["wallet:org", "budget:x"] });
    expect(byId.b?.record).toMatchObject({ status: "aborted", estimated: true, cost: 8n, completionTokens: 9 });
    expect(byId.c?.record).toMatchObject({ status: "aborted", estimated: true, cost: 9n, completionTokens: 1 });
    expect(Object.keys(byId)).toHaveLength(3);
  });

  test("what comes in one tick is one write, and is forced to the disk a moment later", async () => {
    const { journal, files, time } = bench();
    let writes = 0;
    const create = files.create.bind(files);
    files.create = (path) => {
      const file = create(path);
      const write: typeof file.write = (bytes, at) => {
        writes++;
        return file.write(bytes, at);
      };
      return { ...file, write };
    };
    await Promise.all(Array.from({ length: 50 }, (_, index) => journal.open(openCall(`c${index}`))));
    expect([writes, files.syncs]).toEqual([1, 0]);
    await time.pass(1_000);
    expect(files.syncs).toBe(1);
  });

  test("with `always` nothing is promised before it is on the disk", async () => {
    const { journal, files } = bench({ sync: "always" });
    await journal.open(openCall("a"));
    expect(files.syncs).toBe(1);
  });

  test("a full disk refuses new calls, keeps the ends of running ones, and goes on by itself", async () => {
    const { journal, files, time, ended, faults, read } = bench();
    await journal.open(openCall("a"));
    await journal.open(openCall("b"));
    const size = journal.standing.bytes;
    files.capacity = size + 200;
    const kept = journal.end(endOf("a"), ["wallet:org"]);
    const refused = rejection(journal.open(openCall("c")));
    await kept;
    expect(await refused).toMatchObject({ kind: "unavailable" });
    expect(await rejection(journal.open(openCall("d")))).toMatchObject({ kind: "unavailable" });
    expect(ended).toHaveLength(1);
    expect(journal.standing).toMatchObject({ bytes: size, kept: 1 });
    expect(read().segments).toMatchObject([{ damaged: 0, tornBytes: 0 }]);
    await time.pass(1_000);
    expect(journal.standing.kept).toBe(1);
    files.capacity = Number.POSITIVE_INFINITY;
    await time.pass(1_000);
    expect(journal.standing.kept).toBe(0);
    await journal.open(openCall("e"));
    const calls = read().calls.map(({ record }) => [record.id, record.status]);
    expect(calls.sort()).toEqual([
      ["a", "succeeded"],
      ["b", "aborted"],
      ["e", "aborted"],
    ]);
    expect(faults.length).toBeGreaterThan(0);
  });

  test("an end that was settled while the disk was full is not written later", async () => {
    const { journal, files, time } = bench();
    await journal.open(openCall("a"));
    files.capacity = 0;
    await journal.end(endOf("a"), []);
    journal.settled(["a"]);
    expect(journal.standing.kept).toBe(0);
    files.capacity = Number.POSITIVE_INFINITY;
    await time.pass(1_000);
    await journal.open(openCall("b"));
  });

  test("whatever a disk takes of a write, what was promised is there and nothing else is", async () => {
    const disks = fc.array(
      fc.record({
        room: fc.nat(3_000),
        writeMax: fc.integer({ min: 1, max: 700 }),
        cuts: fc.boolean(),
        count: fc.integer({ min: 1, max: 3 }),
      }),
      {
        maxLength: 12,
      },
    );
    await fc.assert(
      fc.asyncProperty(disks, async (steps) => {
        const { journal, files, read } = bench({ segmentBytesMax: 3_000 });
        const promised = new Set<string>();
        for (const [step, { room, writeMax, cuts, count }] of steps.entries()) {
          files.capacity = journal.standing.bytes + room;
          files.writeMax = writeMax;
          files.mayTruncate = cuts;
          const ids = Array.from({ length: count }, (_, index) => `${step}-${index}`);
          await Promise.all(
            ids.map((id) =>
              journal.open(openCall(id)).then(
                () => promised.add(id),
                () => undefined,
              ),
            ),
          );
          if (promised.has(`${step}-0`)) await journal.end(endOf(`${step}-0`), []);
        }
        files.capacity = Number.POSITIVE_INFINITY;
        files.mayTruncate = true;
        await journal.close();
        expect(new Set(read().calls.map(({ record }) => record.id))).toEqual(promised);
      }),
      { numRuns: runs(300) },
    );
  });

  test("a file is closed once, whatever comes after the journal was closed", async () => {
    const { journal, faults, read } = bench();
    await journal.open(openCall("a"));
    await journal.open(openCall("b"));
    await journal.end(endOf("a"), []);
    journal.settled(["a"]);
    await journal.close();
    journal.settled(["b"]);
    journal.tidy();
    await journal.close();
    expect(faults).toEqual([]);
    await journal.end(endOf("b"), []);
    expect(read().calls.map(({ record }) => [record.id, record.status])).toEqual([
      ["a", "succeeded"],
      ["b", "succeeded"],
    ]);
  });

  test("a real device without room is met as a full disk", async () => {
    const files = new MemoryFiles();
    files.create = () => {
      const file = openSync("/dev/full", "w");
      const nothing = (): void => undefined;
      return {
        write: (bytes) => writeSync(file, bytes),
        truncate: nothing,
        sync: async () => undefined,
        close: nothing,
      };
    };
    const { journal, faults } = bench({ files });
    await journal.end(endOf("b"), []);
    expect(await rejection(journal.open(openCall("a")))).toMatchObject({ kind: "unavailable" });
    expect(journal.standing.kept).toBe(1);
    expect(faults.length).toBeGreaterThan(0);
  });

  test("files go when all their calls are settled, in whatever order, and not before", async () => {
    const orders = fc.shuffledSubarray(Array.from({ length: 12 }, (_, index) => index));
    await fc.assert(
      fc.asyncProperty(orders, fc.integer({ min: 500, max: 4_000 }), async (order, segmentBytesMax) => {
        const { journal, read, files } = bench({ segmentBytesMax });
        const all = Array.from({ length: 12 }, (_, index) => `c${index}`);
        for (const id of all) await journal.open(openCall(id));
        for (const id of all) await journal.end(endOf(id), []);
        const unsettled = new Set(all);
        for (const index of order) {
          journal.settled([`c${index}`]);
          unsettled.delete(`c${index}`);
          const found = new Map(read().calls.map(({ record }) => [record.id, record.status]));
          for (const id of unsettled) expect(found.get(id)).toBe("succeeded");
        }
        if (unsettled.size > 0) return;
        journal.tidy();
        expect(files.contents.size).toBe(0);
        await journal.open(openCall("later"));
        expect(read().calls).toHaveLength(1);
      }),
      { numRuns: runs(100) },
    );
  });
});
