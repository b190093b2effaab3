import { expect, test } from "bun:test";
import { FairReadingQueue, INTERRUPTIONS_MAX } from "./reading-queue.ts";

/** A queue whose documents are named by their tenant and a number, and the order in which they were admitted. */
function newQueue() {
  const clock = { now: 0 };
  const queue = new FairReadingQueue(() => clock.now);
  const admitted: string[] = [];
  const enter = (id: string, interruptions = 0): void => {
    void queue.enter({ id, tenant: id.slice(0, 1), interruptions }).then(() => admitted.push(id));
  };
  return { queue, admitted, enter, clock };
}

test("one document is read at a time, and tenants take turns", async () => {
  const { queue, admitted, enter } = newQueue();
  for (const id of ["a1", "a2", "a3", "b1", "c1"]) enter(id);
  for (const [at, id] of ["a1", "b1", "c1", "a2", "a3"].entries()) {
    await Bun.sleep(0);
    expect(admitted.slice(at)).toEqual([id]);
    queue.leave(id, "done");
  }
});

test("a document gives way to other tenants only, and not again and again", async () => {
  const { queue, enter } = newQueue();
  enter("a1");
  enter("a2");
  expect(await queue.mustYield("a1")).toBe(false);
  enter("b1");
  expect(await queue.mustYield("a1")).toBe(true);
  queue.leave("a1", "interrupted");
  expect(await queue.mustYield("a1")).toBe(false);
  queue.leave("b1", "done");
  queue.leave("a2", "done");
  enter("a1", INTERRUPTIONS_MAX);
  enter("b2");
  expect(await queue.mustYield("a1")).toBe(false);
});

test("after a killed document, its tenant gives way to all others for ten minutes", async () => {
  const { queue, admitted, enter, clock } = newQueue();
  enter("a1");
  queue.leave("a1", "killed");
  enter("a2", INTERRUPTIONS_MAX);
  enter("b1");
  expect(await queue.mustYield("a2")).toBe(true);
  enter("a3");
  enter("b2");
  queue.leave("a2", "interrupted");
  queue.leave("b1", "done");
  await Bun.sleep(0);
  expect(admitted).toEqual(["a1", "a2", "b1", "b2"]);
  clock.now += 10 * 60_000;
  enter("a4", INTERRUPTIONS_MAX);
  queue.leave("b2", "done");
  queue.leave("a3", "done");
  enter("b3");
  expect(await queue.mustYield("a4")).toBe(false);
});

test("a document that leaves before its turn waits no longer", async () => {
  const { queue, admitted, enter } = newQueue();
  enter("a1");
  enter("b1");
  queue.leave("b1", "done");
  queue.leave("a1", "done");
  enter("c1");
  await Bun.sleep(0);
  expect(admitted).toEqual(["a1", "b1", "c1"]);
});
