import { expect, test } from "bun:test";
import type { ResponseAnswer } from "../contract/responses.ts";
import { systemClock } from "../lib/clock.ts";
import { createLogger } from "../lib/log.ts";
import type { BackgroundResponse, BackgroundStore, Moved } from "./background-store.ts";
import { BackgroundTask, type TaskDeps } from "./background-task.ts";
import { eventText } from "./response-event.ts";

const QUEUED: BackgroundResponse = {
  ...{ id: "resp_1", keyId: "k", status: "queued", told: 2, asked: "" },
  ...{ leaseOwner: "me", leaseUntil: 0, endedAt: null },
};
const ANSWER = { id: "resp_1", status: "queued" } as unknown as ResponseAnswer;
const event = (number: number): string => eventText("response.output_text.delta", number, {});

/** One response in memory; its events are written by `append`. */
function carried(append: BackgroundStore["append"], answer: TaskDeps["answer"]) {
  let kept: Moved = { work: QUEUED, answer: ANSWER, events: "" };
  const store = {
    append,
    change: async (_: string, decide: Parameters<BackgroundStore["change"]>[1]) => {
      const next = decide(kept.work, kept.answer);
      kept = next ?? kept;
      return next;
    },
  } as BackgroundStore;
  const log = createLogger("error", () => undefined);
  const task = new BackgroundTask({ store, answer, clock: systemClock, log }, "me", QUEUED, () => undefined);
  return { task, kept: () => kept };
}

test("what tells nothing does not keep what follows from being written as it comes", async () => {
  const written = Promise.withResolvers<void>();
  const append = async () => {
    written.resolve();
    return true;
  };
  const { task, kept } = carried(append, async (_, begun, _signal, tell) => {
    tell("");
    tell(event(2));
    await written.promise;
    return { answer: { ...begun, status: "completed" }, events: event(3) };
  });
  await task.carryOut();
  expect(kept()).toMatchObject({
    work: { status: "ended", told: 3 },
    answer: { status: "completed" },
    events: event(3),
  });
});

test("events that could not be written go with the end", async () => {
  const append = async () => {
    throw new Error("the database is away");
  };
  const { task, kept } = carried(append, async (_, begun, _signal, tell) => {
    tell(event(2));
    return { answer: { ...begun, status: "completed" }, events: event(3) };
  });
  await task.carryOut();
  expect(kept()).toMatchObject({ work: { status: "ended", told: 2 }, events: event(2) + event(3) });
});

test("of one that is lost nothing is written, and the model is let go of", async () => {
  const { task, kept } = carried(
    async () => false,
    async (_, begun, signal, tell) => {
      const left = new Promise((resolve) => signal.addEventListener("abort", resolve));
      tell(event(2));
      await left;
      return { answer: { ...begun, status: "failed" }, events: event(3) };
    },
  );
  await task.carryOut();
  expect(kept()).toMatchObject({ work: { status: "in_progress" }, answer: { status: "in_progress" } });
});
