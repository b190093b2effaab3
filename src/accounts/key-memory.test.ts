import { describe, expect, test } from "bun:test";
import { KEY, MASTER, OPEN, setUp, TEAM, verify } from "../../test/accounts/new-verifier.ts";
import { KeyVerifier } from "./key-verifier.ts";
import type { KeyStanding } from "./store.ts";

describe("when a key was last used", () => {
  test("is written at most once a minute, and not by the call itself", async () => {
    const { secret, state, verifier } = setUp();
    await verify(verifier, secret);
    verifier.verify(secret);
    expect(state.writes).toEqual([]);
    await verifier.flushUsage();
    expect(state.writes).toEqual([["k1", 1_000]]);
    state.nowMs = 60_999;
    verifier.verify(secret);
    await verifier.flushUsage();
    expect(state.writes).toHaveLength(1);
    state.nowMs = 61_000;
    verifier.verify(secret);
    await verifier.flushUsage();
    expect(state.writes).toEqual([
      ["k1", 1_000],
      ["k1", 61_000],
    ]);
  });

  test("is told to the moment here, also before it is written", async () => {
    const { secret, state, verifier } = setUp();
    const key = { hash: verifier.hash(secret), previousHash: null, lastUsedAt: null };
    await verify(verifier, secret);
    state.nowMs += 500;
    verifier.verify(secret);
    expect([verifier.lastUsedAt(key), verifier.lastUsedAt({ ...key, lastUsedAt: 9_000 })]).toEqual([1_500, 9_000]);
  });

  test("is not written for a call that was refused", async () => {
    const { secret, state, verifier } = setUp({ status: "disabled" });
    await verify(verifier, secret).catch(() => undefined);
    await verifier.flushUsage();
    expect(state.writes).toEqual([]);
  });

  test("waits for the database to come back", async () => {
    const { secret, state, verifier } = setUp();
    await verify(verifier, secret);
    state.down = true;
    await verifier.flushUsage();
    state.down = false;
    await verifier.flushUsage();
    expect(state.writes).toEqual([["k1", 1_000]]);
  });
});

test("a hundred thousand keys take less than 60 MB", async () => {
  const COUNT = 100_000;
  const clock = { nowMs: () => 0, monotonicMs: () => 0 };
  let made = 0;
  const store = {
    /** Every text is new, as it is when it comes from a database. */
    async findByHash(hash: string): Promise<KeyStanding> {
      const teamId = `team-${++made % 1_000}`;
      const key = { ...KEY, id: crypto.randomUUID(), hash, name: `Key number ${made}`, teamId };
      const amounts = { waivedSpend: 0n, waivedBudget: 0n };
      const text = JSON.stringify({
        key: { ...key, waivedSpend: 0, waivedBudget: 0 },
        team: { ...TEAM, id: teamId },
        ...OPEN,
      });
      const read = JSON.parse(text) as KeyStanding;
      return { ...read, key: { ...read.key, ...amounts } };
    },
    noteUse: async () => undefined,
  };
  const verifier = new KeyVerifier(store, new Uint8Array(32), MASTER, clock);
  const before = heapBytes();
  for (let index = 0; index < COUNT; index++) await verifier.verify(`sk-imported-${index}`);
  const grownMb = (heapBytes() - before) / 1024 ** 2;
  expect(made).toBe(COUNT);
  expect(verifier.verify("sk-imported-0")).not.toBeInstanceOf(Promise);
  expect(grownMb).toBeGreaterThan(1);
  expect(grownMb).toBeLessThan(60);
}, 120_000);

function heapBytes(): number {
  Bun.gc(true);
  return process.memoryUsage().heapUsed;
}
