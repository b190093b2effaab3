import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { flushFolder } from "../../lib/durable.ts";
import { RunError } from "./run-error.ts";

const NEWLINE = 0x0a;

/**
 * A line for each finished round. Lines are added and never written again: a long run would write itself anew with every round.
 * A last line without its end is of a round that was not finished.
 */
export class RoundLog<Round> {
  private records: Round[] | null = null;

  constructor(private readonly path: string) {}

  list(): Round[] {
    this.records ??= this.load();
    return [...this.records];
  }

  /** Takes away what a process had begun to write when it ended. Whoever writes does so first. */
  repair(): void {
    if (!existsSync(this.path)) return;
    const bytes = readFileSync(this.path);
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    if (whole === bytes.length) return;
    this.change("r+", (handle) => ftruncateSync(handle, whole));
  }

  /** Removes all records but the first ones. */
  truncate(count: number): void {
    if (!existsSync(this.path)) return;
    const bytes = readFileSync(this.path);
    let end = 0;
    for (let at = 0; at < count; at++) end = bytes.indexOf(NEWLINE, end) + 1;
    this.change("r+", (handle) => ftruncateSync(handle, end));
    this.records = null;
  }

  append(record: Round): void {
    this.records ??= this.load();
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    this.change("a", (handle) => {
      const { size } = fstatSync(handle);
      try {
        for (let at = 0; at < line.length; ) at += writeSync(handle, line, at);
      } catch (thrown) {
        // A disk that is full has taken some of it: the next line has to begin where this one did.
        ftruncateSync(handle, size);
        throw thrown;
      }
    });
    this.records.push(record);
  }

  private load(): Round[] {
    if (!existsSync(this.path)) return [];
    const lines = readFileSync(this.path, "utf8").split("\n").slice(0, -1);
    return lines.map((line, at) => {
      try {
        return JSON.parse(line) as Round;
      } catch {
        throw new RunError(`line ${at + 1} of ${this.path} is damaged`);
      }
    });
  }

  private change(how: "a" | "r+", work: (handle: number) => void): void {
    const handle = openSync(this.path, how);
    try {
      work(handle);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    // It may have been made just now.
    flushFolder(dirname(this.path));
  }
}
