import { expect, test } from "bun:test";
import { endedCall } from "../../src/ledger/settle-store.ts";
import { Settler } from "../../src/ledger/settler.ts";
import { SerialQueue } from "../../src/lib/serial-queue.ts";
import { MemoryBooks } from "./memory-books.ts";
import { newCall } from "./new-call.ts";
import { SteppedTime } from "./stepped-time.ts";

/** How many calls, and of how many keys, each batch has that comes to the books. */
async function batchesOf(calls: number, keyOf: (index: number) => string) {
  const books = new MemoryBooks();
  const time = new SteppedTime();
  const batches: (readonly [calls: number, keys: number])[] = [];
  const settler = new Settler({
    store: {
      settle(owner, batch) {
        batches.push([batch.length, new Set(batch.map(({ record }) => record.keyId)).size]);
        return books.settle(owner, batch);
      },
    },
    owner: "p0",
    clock: time,
    timers: time,
    turns: new SerialQueue(),
    onSettled: () => undefined,
    onFault(thrown) {
      throw thrown;
    },
  });
  for (let index = 0; index < calls; index++) {
    settler.add(endedCall(newCall({ id: `call-${index}`, keyId: keyOf(index), cost: 1n }), []));
  }
  expect(await settler.flush()).toBe(true);
  expect(books.usage.size).toBe(calls);
  expect(settler.standing.waiting).toBe(0);
  return batches;
}

test("many calls of a few keys are one batch, up to a size", async () => {
  expect(await batchesOf(2_500, (index) => `key-${index % 3}`)).toEqual([
    [2_000, 3],
    [500, 3],
  ]);
});

test("calls of many keys come in batches of so many keys, and none is left out", async () => {
  const batches = await batchesOf(1_001, (index) => `key-${Math.floor(index / 2)}`);
  expect(batches).toEqual([
    [400, 200],
    [400, 200],
    [201, 101],
  ]);
});
