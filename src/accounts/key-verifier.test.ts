import { describe, expect, test } from "bun:test";
import type { KeyCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import { newKey } from "./key-format.ts";
import { KeyVerifier } from "./key-verifier.ts";
import type { ApiKey, Team } from "./records.ts";

const MASTER = "sk-master-master-master";
const TEAM: Team = {
  id: "t1",
  organizationId: "o1",
  name: "Team",
  status: "active",
  blockedReason: null,
  models: ["team-model"],
  createdAt: 0,
  updatedAt: 0,
};

/** A key store that counts its look-ups and can fail. */
function setUp(changes: Partial<ApiKey> = {}, team: Partial<Team> = {}) {
  const secret = newKey();
  const state = { lookUps: 0, down: false, nowMs: 1_000, monotonicMs: 0, present: true };
  const clock = { nowMs: () => state.nowMs, monotonicMs: () => state.monotonicMs };
  const store = {
    async findByHash(hash: string) {
      state.lookUps++;
      if (state.down) throw new GatewayError("database", "down");
      if (!state.present || hash !== verifier.hash(secret)) return null;
      return { key: { ...KEY, hash, ...changes }, team: { ...TEAM, ...team } };
    },
    insert: () => Promise.reject(new Error("not used")),
  };
  const verifier: KeyVerifier = new KeyVerifier(store, new Uint8Array(32), MASTER, clock);
  return { secret, state, verifier };
}

const KEY: ApiKey = {
  id: "k1",
  teamId: "t1",
  name: "Key",
  hash: "",
  last4: "abcd",
  status: "active",
  models: [],
  expiresAt: null,
  createdBy: null,
  createdAt: 0,
  updatedAt: 0,
};

const verify = async (verifier: KeyVerifier, key: string): Promise<KeyCaller> => verifier.verify(key);

describe("a key", () => {
  test("that is warm is answered without a promise and without a look-up", async () => {
    const { secret, state, verifier } = setUp();
    const first = await verify(verifier, secret);
    expect(first).toMatchObject({
      keyId: "k1",
      teamId: "t1",
      organizationId: "o1",
      master: false,
      models: ["team-model"],
    });
    expect(verifier.verify(secret)).toBe(first);
    expect(state.lookUps).toBe(1);
  });

  test("that many calls ask for at once is looked up once", async () => {
    const { secret, state, verifier } = setUp();
    await Promise.all(Array.from({ length: 50 }, () => verify(verifier, secret)));
    expect(state.lookUps).toBe(1);
  });

  test("that is unknown is looked up once, then refused from memory", async () => {
    const { state, verifier } = setUp();
    const other = newKey();
    await expect(verify(verifier, other)).rejects.toThrow("not known");
    await expect(verify(verifier, other)).rejects.toThrow("not known");
    expect(state.lookUps).toBe(1);
  });

  test("with a wrong checksum is refused without a look-up", async () => {
    const { secret, state, verifier } = setUp();
    const wrong = secret.slice(0, -1) + (secret.endsWith("a") ? "b" : "a");
    await expect(verify(verifier, wrong)).rejects.toThrow("not known");
    expect(state.lookUps).toBe(0);
  });

  test.each([
    [{ status: "disabled" } as const, {}, "authentication"],
    [{ expiresAt: 1_000 }, {}, "authentication"],
    [{}, { status: "blocked", blockedReason: "balance" } as const, "team_blocked"],
  ])("that may not be used is refused, %#", async (key, team, kind) => {
    const { secret, verifier } = setUp(key, team);
    await expect(verify(verifier, secret)).rejects.toMatchObject({ kind });
  });

  test("that was removed elsewhere ends when its entry is no longer fresh", async () => {
    const { secret, state, verifier } = setUp();
    await verify(verifier, secret);
    state.present = false;
    state.monotonicMs = 4_999;
    await verify(verifier, secret);
    state.monotonicMs = 5_001;
    await expect(verify(verifier, secret)).rejects.toMatchObject({ kind: "authentication" });
  });

  test("goes on while the database is away, but an unseen one is 503, never 401", async () => {
    const { secret, state, verifier } = setUp();
    await verify(verifier, secret);
    state.down = true;
    state.monotonicMs = 60_000;
    expect(await verify(verifier, secret)).toMatchObject({ keyId: "k1" });
    await expect(verify(verifier, newKey())).rejects.toMatchObject({ kind: "database" });
  });

  test("that is the master key needs no look-up; its hash is no key", async () => {
    const { state, verifier } = setUp();
    expect(await verify(verifier, MASTER)).toMatchObject({ master: true });
    expect(state.lookUps).toBe(0);
    await expect(verify(verifier, `sk-${verifier.hash(MASTER)}`)).rejects.toMatchObject({ kind: "authentication" });
  });
});
