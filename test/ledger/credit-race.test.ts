import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/contract/errors.ts";
import { bench, WALLET } from "./credit-bench.ts";

describe.each([1, 2])("64 clients on %d process(es) with credit for exactly 100 calls", (processes) => {
  test.each([10n, 13n, 40n, 1_000n])(
    "that each cost 10, at an estimate of %d, get 100 answers and no more",
    async (estimate) => {
      const { desks, time, books } = bench(1_000n, processes);
      let [answers, refusals] = [0, 0];
      const client = async (number: number): Promise<void> => {
        const process = desks[number % processes];
        if (!process) return;
        for (let tries = 0; tries < 400; tries++) {
          try {
            const held = await process.hold(estimate);
            await new Promise<void>((resolve) => void time.after(5 + ((number * 7) % 20), resolve));
            answers++;
            await process.charge(held, 10n);
          } catch (thrown) {
            if (!(thrown instanceof GatewayError)) throw thrown;
            if (thrown.kind !== "insufficient_quota") continue;
            refusals++;
            return;
          }
        }
      };
      const clients = Array.from({ length: 64 }, (_, number) => client(number));
      for (let step = 0; step < 4_000 && refusals < 64; step++) {
        await time.pass(10);
        if (step % 25 === 0) for (const { desk } of desks) await desk.tick();
      }
      await Promise.all(clients);
      expect([answers, refusals]).toEqual([100, 64]);
      expect(books.balances.get(WALLET.id)).toBe(0n);
      for (const { desk } of desks) await desk.close();
      expect(books.leases).toEqual([]);
    },
  );
});
