// Loaded before the program (`bun --preload`): ends the process without a word at a chosen point, the n-th time it passes there.
// TURNPIKE_CRASH_POINT names the point, TURNPIKE_CRASH_PASSING the n.

import { Segment } from "../../src/ledger/journal/segment.ts";
import { FileJournal } from "../../src/ledger/journal/usage-journal.ts";
import { Settler } from "../../src/ledger/settler.ts";

export const POINTS = [
  "before a record is written",
  "after a record was written",
  "before a batch is settled",
  "while a batch is being settled",
  "after a batch was settled",
] as const;

const point = process.env.TURNPIKE_CRASH_POINT;
let passings = Number(process.env.TURNPIKE_CRASH_PASSING ?? 1);

function pass(name: (typeof POINTS)[number]): void {
  if (name !== point) return;
  passings -= 1;
  if (passings === 0) process.kill(process.pid, "SIGKILL");
}

/** Puts something before and after a method, private ones too. */
function around(prototype: object, method: string, before: () => void, after: () => void): void {
  const methods = prototype as Record<string, (...args: unknown[]) => unknown>;
  const original = methods[method];
  if (!original) throw new Error(`there is no method ${method} to end the process at`);
  methods[method] = function (this: unknown, ...args: unknown[]) {
    before();
    const result = original.apply(this, args);
    after();
    return result;
  };
}

const nothing = () => undefined;

if (point !== undefined) {
  around(
    Segment.prototype,
    "append",
    () => pass("before a record is written"),
    () => pass("after a record was written"),
  );
  // The transaction runs in another thread and has just begun when the call returns.
  around(
    Settler.prototype,
    "settle",
    () => pass("before a batch is settled"),
    () => setTimeout(() => pass("while a batch is being settled"), 1),
  );
  around(FileJournal.prototype, "settled", () => pass("after a batch was settled"), nothing);
}
