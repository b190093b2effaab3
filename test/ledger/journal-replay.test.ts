import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/contract/errors.ts";
import { replayFolders } from "../../src/ledger/journal/replay-folders.ts";
import type { EndedCall } from "../../src/ledger/settle-store.ts";
import { rejection } from "../storage/rejection.ts";
import { bench, endOf, openCall } from "./journal-bench.ts";
import { lineOf } from "./line-of.ts";
import type { MemoryFiles } from "./memory-files.ts";

describe("at the start", () => {
  const replay = (files: MemoryFiles, settled: EndedCall[], dropped: string[], alive: readonly string[] = []) =>
    replayFolders({
      files,
      folder: "journal",
      except: "new",
      lock: (folder) => (alive.some((name) => folder.endsWith(name)) ? null : { release: () => undefined }),
      settle: async (_, calls) => {
        settled.push(...calls);
        return { settled: calls.length, leases: new Map(), changedTeams: [], forgotten: 0 };
      },
      drop: async (owner) => void dropped.push(owner),
    });

  test("a damaged middle is told and set aside after all that can be read was taken; the rest goes", async () => {
    const { journal, files } = bench({ segmentBytesMax: 900 });
    for (const id of ["a", "b", "c"]) {
      await journal.open(openCall(id));
      await journal.end(endOf(id), []);
    }
    const [first = "", second = ""] = [...files.contents.keys()];
    const bytes = Uint8Array.from(files.read(first));
    bytes[30] = 0;
    files.contents.set(first, bytes);
    const [settled, dropped]: [EndedCall[], string[]] = [[], []];
    const report = await replay(files, settled, dropped);
    expect(report).toMatchObject({ damagedLines: 1, setAside: [`${first}.damaged`], calls: 3, aborted: 0 });
    expect(settled.map(({ record }) => record.id).sort()).toEqual(["a", "b", "c"]);
    expect(dropped).toEqual(["me"]);
    expect([...files.contents.keys()]).toEqual([`${first}.damaged`]);
    expect(files.contents.has(second)).toBe(false);
    expect(await replay(files, [], [])).toMatchObject({ calls: 0, damagedLines: 0 });
  });

  test("what a process had set aside for a full disk goes with it", async () => {
    const { journal, files } = bench({ reserveBytes: 1_000 });
    await journal.open(openCall("a"));
    expect(files.contents.has("journal/me/reserve")).toBe(true);
    await replay(files, [], [], ["me"]);
    expect(files.contents.has("journal/me/reserve")).toBe(true);
    expect(await replay(files, [], [])).toMatchObject({ calls: 1, aborted: 1, setAside: [] });
    expect([files.contents, files.listFolders("journal")]).toEqual([new Map(), []]);
  });

  test("the files of a process that is alive are left alone, and a failure leaves everything for the next time", async () => {
    const { journal, files } = bench();
    await journal.open(openCall("a"));
    const before = [...files.contents.keys()];
    expect(await replay(files, [], [], ["me"])).toMatchObject({ calls: 0, leftOut: 1 });
    const broken = replayFolders({
      files,
      folder: "journal",
      except: "new",
      lock: () => ({ release: () => undefined }),
      settle: () => Promise.reject(new GatewayError("database", "no database")),
      drop: async () => undefined,
    });
    expect(await rejection(broken)).toHaveProperty("message", "no database");
    expect([...files.contents.keys()]).toEqual(before);
    const settled: EndedCall[] = [];
    expect(await replay(files, settled, [])).toMatchObject({ calls: 1, aborted: 1 });
    expect(files.contents.size).toBe(0);
  });

  test.each([
    ["zeros", () => new Uint8Array(5_000)],
    ["lines of another kind of file", () => Buffer.from("a\r\nb\r\n")],
    ["a last line with another letter in it", (bytes: Uint8Array) => bytes.with(bytes.length - 9, 7)],
  ])("a file of %s is not lost in silence", async (_, spoil) => {
    const { journal, files } = bench();
    await journal.open(openCall("a"));
    const [path = ""] = files.contents.keys();
    files.contents.set(path, spoil(files.read(path)));
    const { damagedLines, tornBytes } = await replay(files, [], []);
    expect(damagedLines + tornBytes).toBeGreaterThan(0);
    expect(files.contents.has(`${path}.damaged`)).toBe(damagedLines > 0);
  });

  test("only the last file may end in the middle of a record", async () => {
    const { journal, files } = bench({ segmentBytesMax: 900 });
    for (const id of ["a", "b", "c"]) {
      await journal.open(openCall(id));
      await journal.end(endOf(id), []);
    }
    const [first = ""] = files.contents.keys();
    const last = [...files.contents.keys()].at(-1) ?? "";
    expect(last).not.toBe(first);
    for (const path of [first, last]) files.contents.set(path, files.read(path).slice(0, -5));
    expect(await replay(files, [], [])).toMatchObject({ damagedLines: 1, setAside: [`${first}.damaged`] });
  });

  test.each([
    ["null", "null"],
    ["of a kind that is yet to come", JSON.stringify({ k: "later", r: { id: "z" } })],
    ["without an amount", JSON.stringify({ k: "end", r: { id: "z", cost: "much" }, p: [] })],
    ["without pots", JSON.stringify({ k: "end", r: { id: "z", cost: "1" }, p: "x" })],
    ["without a call", JSON.stringify({ k: "open" })],
  ])("a record that is %s is set aside with its file, and all others are settled", async (_, json) => {
    const { journal, files } = bench();
    await journal.open(openCall("a"));
    const [path = ""] = files.contents.keys();
    files.contents.set(path, Buffer.concat([lineOf(json), files.read(path)]));
    const settled: EndedCall[] = [];
    expect(await replay(files, settled, [])).toMatchObject({
      calls: 1,
      damagedLines: 1,
      setAside: [`${path}.damaged`],
    });
    expect(settled.map(({ record }) => record.id)).toEqual(["a"]);
  });

  test("a call that the database refuses keeps no other from being settled, and stays for a person to look at", async () => {
    const { journal, files } = bench();
    for (const id of ["a", "bad", "c", "d"]) await journal.open(openCall(id));
    const [path = ""] = files.contents.keys();
    const settled: string[] = [];
    const report = await replayFolders({
      files,
      folder: "journal",
      except: "new",
      lock: () => ({ release: () => undefined }),
      settle: async (_owner, calls) => {
        if (calls.some(({ record }) => record.id === "bad")) throw new Error("a constraint");
        settled.push(...calls.map(({ record }) => record.id));
        return { settled: calls.length, leases: new Map(), changedTeams: [], forgotten: 0 };
      },
      drop: async () => undefined,
    });
    expect(settled.sort()).toEqual(["a", "c", "d"]);
    expect(report).toMatchObject({ settled: 3, refused: 1, setAside: [`${path}.damaged`] });
  });

  test("a file that cannot be read and what is no folder of a process do not stop it", async () => {
    const { journal, files } = bench();
    await journal.open(openCall("a"));
    const [path = ""] = files.contents.keys();
    files.contents.set("journal/notes.txt", Buffer.from("x"));
    files.makeFolder("journal/lost+found");
    const { read } = files;
    files.read = () => {
      files.read = read;
      throw new Error("a folder, or a broken disk");
    };
    const locked: string[] = [];
    const report = await replayFolders({
      files,
      folder: "journal",
      except: "new",
      lock: (folder) => {
        locked.push(folder);
        return { release: () => undefined };
      },
      settle: async () => ({ settled: 0, leases: new Map(), changedTeams: [], forgotten: 0 }),
      drop: async () => undefined,
    });
    expect(locked).toEqual(["journal/me"]);
    expect(report).toMatchObject({ calls: 0, damagedLines: 1, setAside: [`${path}.damaged`] });
    expect(files.folders.has("journal/lost+found")).toBe(true);
  });
});
