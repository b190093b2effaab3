import { expect, test } from "bun:test";
import fc from "fast-check";
import { History, histories, settlePromises } from "./history.ts";
import { MemoryBooks } from "./memory-books.ts";

const RUNS = 2_000;
const SLOW_MS = 120_000;

test(
  "whatever happens in whatever order, the books are what the sums say, and nothing is held that is not there",
  async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (commands) => {
        run++;
        await new History(new MemoryBooks(), `h${run}`, settlePromises).run(commands);
      }),
      { numRuns: RUNS },
    );
    expect(run).toBeGreaterThanOrEqual(RUNS);
  },
  SLOW_MS,
);
