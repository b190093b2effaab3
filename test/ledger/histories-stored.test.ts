import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DATABASES } from "../storage/databases.ts";
import { StoreBench } from "../storage/store-bench.ts";
import { databaseShelf } from "./database-shelf.ts";
import { History, histories } from "./history.ts";

const RUNS = 50;
const SLOW_MS = 300_000;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the books on ${kind}`, () => {
    const bench = new StoreBench(kind);

    test(
      "are what the sums say, whatever happens in whatever order",
      async () => {
        let run = 0;
        await fc.assert(
          fc.asyncProperty(histories, async (commands) => {
            const name = `h${++run}`;
            // A turn of the event loop, in which a worker or a socket can answer.
            const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
            await new History(databaseShelf(bench.backend, name), name, pause).run(commands);
          }),
          { numRuns: RUNS },
        );
        expect(run).toBeGreaterThanOrEqual(RUNS);
        const { db } = bench.backend;
        const cached = await db.selectFrom("ledgerAccounts").select(["id", "balance"]).execute();
        const shelf = databaseShelf(bench.backend, "");
        for (const { id, balance } of cached) expect([id, await shelf.balance(id)]).toEqual([id, balance]);
      },
      SLOW_MS,
    );
  });
}
