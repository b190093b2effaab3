import { afterAll, expect, test } from "bun:test";
import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RoundRecord, RunFolder } from "./run-folder.ts";

const root = mkdtempSync(join(tmpdir(), "turnpike-rounds-"));
afterAll(() => rmSync(root, { recursive: true }));
let made = 0;
const newFolder = () => join(root, String(made++));
const recordOf = (round: number) => ({ round, modelOut: `größe ${round}`, stateOut: {} }) as RoundRecord;
const logOf = (path: string) => readFileSync(join(path, "rounds.jsonl"), "utf8");
const linesOf = (...rounds: number[]) => rounds.map((round) => `${JSON.stringify(recordOf(round))}\n`).join("");

test("a round is added to the file, and nothing that stands there is written again", () => {
  const path = newFolder();
  const folder = new RunFolder(path);
  folder.claim("a plan");
  folder.commit(recordOf(1));
  const handle = openSync(join(path, "rounds.jsonl"), "r");
  for (const round of [2, 3]) folder.commit(recordOf(round));
  // A file that another has taken the place of has no name any more.
  expect(fstatSync(handle)).toMatchObject({ nlink: 1, size: Buffer.byteLength(linesOf(1, 2, 3)) });
  closeSync(handle);
  expect(logOf(path)).toBe(linesOf(1, 2, 3));
  expect(new RunFolder(path).rounds()).toEqual([1, 2, 3].map(recordOf));
});

test("a line that was being written when the process ended is taken away before the next one", () => {
  const whole = Buffer.from(linesOf(2));
  for (let length = 1; length < whole.length; length++) {
    const path = newFolder();
    new RunFolder(path).commit(recordOf(1));
    appendFileSync(join(path, "rounds.jsonl"), whole.subarray(0, length));
    const folder = new RunFolder(path);
    expect(folder.rounds()).toEqual([recordOf(1)]);
    folder.claim("a plan");
    expect(logOf(path)).toBe(linesOf(1));
    folder.commit(recordOf(2));
    expect(logOf(path)).toBe(linesOf(1, 2));
  }
});

test("a line that is damaged in the middle is named, and nothing is taken away", () => {
  const path = newFolder();
  const folder = new RunFolder(path);
  const damaged = `${linesOf(1)}{"round":\n${linesOf(3)}`;
  writeFileSync(join(path, "rounds.jsonl"), damaged);
  folder.claim("a plan");
  expect(() => folder.rounds()).toThrow("rounds.jsonl is damaged");
  expect(logOf(path)).toBe(damaged);
});
