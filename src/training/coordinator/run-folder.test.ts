import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { watchFlushes } from "../../../test/power-cut.ts";
import { newRound } from "../../../test/training/new-run.ts";
import { Arrivals } from "./arrivals.ts";
import { type RoundRecord, RunFolder } from "./run-folder.ts";

const root = mkdtempSync(join(tmpdir(), "turnpike-folders-"));
afterAll(() => rmSync(root, { recursive: true }));
let made = 0;
const newFolder = () => join(root, String(made++));

async function* once(text: string) {
  yield Buffer.from(text);
}
const keep = async (folder: RunFolder, round: number, participant: string) =>
  folder.keepReply(round, { participant, numExamples: 1, startedFrom: null }, await folder.spool(once("bytes"), 99));
const repliesOf = (path: string) => readdirSync(join(path, "replies"), { recursive: true, encoding: "utf8" }).sort();
const recordOf = (round: number, ...participants: string[]): RoundRecord => ({
  ...newRound(round),
  replies: participants.map((participant) => ({
    participant,
    sha256: "",
    bytes: 5,
    numExamples: 1,
    norm: 1,
    counted: true,
  })),
});

test("nothing is left of a round's answers when it is finished, not even their folder", async () => {
  const path = newFolder();
  const folder = new RunFolder(path);
  for (const participant of ["a", "b"]) await keep(folder, 1, participant);
  folder.commit(recordOf(1, "a", "b"), folder.replies(1));
  expect(repliesOf(path)).toEqual([]);
});

test("an answer that still waits keeps the folder that it lies in", async () => {
  const path = newFolder();
  const folder = new RunFolder(path);
  for (const participant of ["a", "b"]) await keep(folder, 1, participant);
  folder.forget(folder.replies(1).slice(0, 1));
  expect(repliesOf(path)).toEqual(["1", "1/b.reply", "1/b.reply.json"]);
});

test("an answer whose line is gone, or never came, does not stay for ever", async () => {
  const path = newFolder();
  const before = new RunFolder(path);
  before.claim("a plan");
  mkdirSync(join(path, "arrivals"));
  mkdirSync(join(path, "replies", "7"));
  const left = ["replies/7/a.reply", "replies/7/a.reply.row", "arrivals/0000000004.reply"];
  for (const name of left) writeFileSync(join(path, name), "bytes");
  await keep(before, 8, "b");
  new RunFolder(path).claim("a plan");
  expect(repliesOf(path)).toEqual(["8", "8/b.reply", "8/b.reply.json"]);
  expect(readdirSync(join(path, "arrivals"))).toEqual([]);
});

test("what a process that was killed has left is gone when the next one goes on, and what counts stays", async () => {
  const path = newFolder();
  const before = new RunFolder(path);
  before.claim("a plan");
  for (const participant of ["a", "b"]) await keep(before, 1, participant);
  // It ended after the line of the round and before the answers were removed; `b` is for a later round to fold in.
  before.commit(recordOf(1, "a"));
  mkdirSync(join(path, "replies", "0"));
  for (const name of ["models/m.77.part", "replies/1/b.reply.json.77.part"]) writeFileSync(join(path, name), "half");
  new RunFolder(path).claim("a plan");
  expect(repliesOf(path)).toEqual(["1", "1/b.reply", "1/b.reply.json"]);
  expect(readdirSync(join(path, "models"))).toEqual([]);
});

test("a power cut takes nothing away: names are flushed as well, in every folder up to the one that was there", async () => {
  const path = newFolder();
  mkdirSync(path);
  const flushes = watchFlushes();
  try {
    const folder = new RunFolder(join(path, "runs", "digits"));
    folder.claim("a plan");
    await keep(folder, 1, "a");
    new Arrivals(folder).keep(
      { number: 1, model: "m", round: 1, isAnswered: false },
      { participant: "b", numExamples: 1 },
      await folder.spool(once("bytes"), 99),
    );
    expect(flushes.lost(path)).toEqual([]);
    folder.saveModel([Buffer.from("a model")]);
    folder.secret();
    folder.commit(recordOf(1));
    expect(readdirSync(join(path, "runs/digits/models"))).toHaveLength(1);
    expect(flushes.lost(path)).toEqual([]);
  } finally {
    flushes.end();
  }
});

test("a file that could not be written leaves nothing of itself behind", () => {
  const path = newFolder();
  const folder = new RunFolder(path);
  mkdirSync(join(path, "taken"));
  expect(() => folder.writeFile("taken", "x".repeat(1000))).toThrow();
  expect(readdirSync(path).sort()).toEqual(["models", "replies", "spool", "taken"]);
});

test("of what a strategy remembers only the newest stays, and models that have the same bytes stay too", () => {
  const path = newFolder();
  const folder = new RunFolder(path);
  folder.claim("a plan");
  const zeros = new Float32Array(2);
  const stateOf = (...values: number[]) => folder.saveState(new Map([["velocity", Float32Array.from(values)]]));
  const modelOut = folder.saveModel([new Uint8Array(zeros.buffer)]);
  folder.commit({ ...newRound(1), modelOut, stateOut: stateOf(0, 0) });
  const old = stateOf(1, 1);
  folder.commit({ ...newRound(2), modelOut, stateOut: old });
  const newest = stateOf(2, 2);
  const models = () => readdirSync(join(path, "models")).sort();
  folder.commit({ ...newRound(3), modelOut, stateOut: newest });
  const stays = [modelOut, newest.velocity as string].sort();
  expect(models()).toEqual(stays);
  // The process before may have ended when it had written the line of the round and nothing else.
  stateOf(1, 1);
  folder.commit({ ...newRound(4), modelOut, stateOut: newest });
  expect(models()).toEqual(stays);
});
