import { describe, expect, test } from "bun:test";
import { from, MASTER, OPEN, setUp, TEAM, verify } from "../../test/accounts/new-verifier.ts";
import type { KeyCaller, Peer } from "../contract/caller.ts";
import type { GatewayError } from "../contract/errors.ts";
import { newKey } from "./key-format.ts";
import type { KeyVerifier } from "./key-verifier.ts";
import type { KeyStanding } from "./store.ts";

const never: Peer = {
  get remoteAddress(): never {
    throw new Error("the address was read");
  },
};

describe("a key", () => {
  test("brings what its organization, team, maker and itself may spend, the widest first", async () => {
    const { secret, verifier, rows, put } = setUp({ budget: 1n, budgetWindow: "day", createdBy: 9 });
    const plain = newKey();
    put(plain, { budget: null, createdBy: null });
    const [own, other] = rows as [KeyStanding, KeyStanding];
    const organization = { ...OPEN.organization, billing: "invoiced", budget: 4n, budgetWindow: "month" } as const;
    const team = { ...TEAM, budget: 3n, budgetWindow: null };
    const rates = { rpmLimit: null, tpmLimit: null };
    const member = { budget: 2n, budgetWindow: "hour", ...rates } as const;
    const user = {
      budget: null,
      budgetWindow: "day",
      ...rates,
      parallelLimit: null,
      models: [],
      furtherBudgets: [],
    } as const;
    rows[0] = { ...own, organization, team, member, user };
    rows[1] = { ...other, organization, team };
    const caller = await verify(verifier, secret);
    expect(caller).toMatchObject({ userId: 9, standing: { organizationId: "o1", prepaid: false } });
    expect(caller.budgets).toEqual([
      { scope: "organization", id: "o1", limit: 4n, window: "month" },
      { scope: "team", id: "t1", limit: 3n, window: "total" },
      { scope: "member", id: "t1/9", limit: 2n, window: "hour" },
      { scope: "key", id: "k1", limit: 1n, window: "day" },
    ]);
    const second = await verify(verifier, plain);
    expect(second.standing).toBe(caller.standing);
    expect(second.budgets.map(({ scope }) => scope)).toEqual(["organization", "team"]);
  });

  test("that is looked up again is seen as it has become", async () => {
    const limits = {
      budget: 1n,
      allowedIps: ["192.0.2.1"],
      rpmLimit: 3,
      modelLimits: { m: { rpm: 1 } },
      aliases: { a: "b" },
    };
    const { secret, state, verifier, replace } = setUp(limits);
    const again = (): Promise<KeyCaller> => {
      state.monotonicMs += 6_000;
      return verify(verifier, secret, from("192.0.2.1"));
    };
    const first = await again();
    replace({ lastUsedAt: 5, budget: 1n, allowedIps: ["192.0.2.1"], aliases: { a: "b" } });
    expect(await again()).toEqual(first);
    expect(state.lookUps).toBe(2);
    await verify(verifier, secret, from("192.0.2.1"));
    expect(state.lookUps).toBe(2);
    replace({ budget: 2n });
    const second = await again();
    expect(second.budgets).toMatchObject([{ scope: "key", limit: 2n }]);
    replace({ allowedIps: ["192.0.2.2"] });
    await expect(again()).rejects.toThrow("from your address");
    replace({ allowedIps: ["192.0.2.1"] });
    expect(await again()).toEqual(second);
  });

  test("of an organization that is blocked is refused, whatever its team is", async () => {
    const { secret, verifier, rows } = setUp();
    const [row] = rows as [KeyStanding];
    rows[0] = { ...row, organization: { ...OPEN.organization, status: "blocked" } };
    await expect(verify(verifier, secret)).rejects.toThrow("organization of this key is blocked");
  });

  test("that is warm is answered without a promise, a look-up or a look at the address", async () => {
    const { secret, state, verifier } = setUp();
    const first = await verify(verifier, secret, never);
    expect(first).toMatchObject({
      keyId: "k1",
      teamId: "t1",
      organizationId: "o1",
      master: false,
      within: [["team-model"]],
    });
    expect(verifier.verify(secret, never)).toBe(first);
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

  test("that was imported and has another length works", async () => {
    const { verifier, put } = setUp();
    put("sk-1234", { id: "imported" });
    expect(await verify(verifier, "sk-1234")).toMatchObject({ keyId: "imported" });
  });

  test.each([
    [{ status: "disabled" } as const, {}, "authentication", "disabled"],
    [{ expiresAt: 1_000 }, {}, "authentication", "expired"],
    [{}, { status: "blocked", blockedReason: "balance" } as const, "team_blocked", "adding credits unblocks it"],
    [{}, { status: "blocked", blockedReason: "admin" } as const, "team_blocked", "by an administrator"],
  ])("that may not be used is refused with the reason, %#", async (key, team, kind, words) => {
    const { secret, verifier } = setUp(key, team);
    await expect(verify(verifier, secret)).rejects.toMatchObject({ kind, message: expect.stringContaining(words) });
  });

  test("that expires while it is warm ends at that moment", async () => {
    const { secret, state, verifier } = setUp({ expiresAt: 2_000 });
    await verify(verifier, secret);
    state.nowMs = 2_000;
    await expect(verify(verifier, secret)).rejects.toThrow("expired");
  });

  test("carries its own list beside those of its team and its organization, and the names of both", async () => {
    const { secret, verifier, replace } = setUp({ models: ["team-*", "other"], aliases: { mine: "a" } });
    const caller = await verify(verifier, secret);
    expect(caller).toMatchObject({ models: ["team-*", "other"], within: [["team-model"]], aliases: { mine: "a" } });
    verifier.forget(replace({}, { models: [], modelAliases: { ours: "b", mine: "b" } }));
    expect(await verify(verifier, secret)).toMatchObject({ within: [], aliases: { mine: "a", ours: "b" } });
  });

  test("that was removed elsewhere ends when its entry is no longer fresh", async () => {
    const { secret, state, verifier, rows } = setUp();
    await verify(verifier, secret);
    rows.length = 0;
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
    expect(verifier.verify(secret)).toMatchObject({ keyId: "k1" });
    await expect(verify(verifier, newKey())).rejects.toMatchObject({ kind: "database" });
    state.down = false;
    await Bun.sleep(0);
    verifier.verify(secret);
    await Bun.sleep(0);
    const before = state.lookUps;
    expect(verifier.verify(secret)).toMatchObject({ keyId: "k1" });
    expect(state.lookUps).toBe(before);
  });

  test("that was removed elsewhere after an outage ends with the next call, not with the one after it", async () => {
    const { secret, state, verifier, rows } = setUp();
    await verify(verifier, secret);
    state.down = true;
    state.monotonicMs = 60_000;
    await verify(verifier, secret);
    state.down = false;
    rows.length = 0;
    state.monotonicMs = 65_001;
    await expect(verify(verifier, secret)).rejects.toMatchObject({ kind: "authentication" });
  });

  test("does not wait for a database that was away for another key, and for as long as it is", async () => {
    const { secret, state, verifier, put } = setUp();
    const other = newKey();
    put(other, { id: "k2" });
    for (const key of [secret, other]) await verify(verifier, key);
    state.down = true;
    state.monotonicMs = 60_000;
    await verify(verifier, secret);
    state.monotonicMs = 64_000;
    expect(verifier.verify(other)).toMatchObject({ keyId: "k2" });
    await Bun.sleep(0);
    state.monotonicMs = 68_000;
    expect(verifier.verify(secret)).toMatchObject({ keyId: "k1" });
  });

  test("that is the master key needs no look-up; its hash is no key", async () => {
    const { state, verifier } = setUp();
    expect(await verify(verifier, MASTER)).toMatchObject({ master: true });
    expect(state.lookUps).toBe(0);
    await expect(verify(verifier, `sk-${verifier.hash(MASTER)}`)).rejects.toMatchObject({ kind: "authentication" });
  });
});

describe("a key that was rotated", () => {
  test("works with its old value until the grace is over, with its new one from the start", async () => {
    const { secret, state, verifier, replace } = setUp();
    const next = newKey();
    await verify(verifier, secret);
    const before = replace({ hash: verifier.hash(next), previousHash: verifier.hash(secret), previousUntil: 5_000 });
    verifier.forget(before);
    expect(await verify(verifier, next)).toMatchObject({ keyId: "k1" });
    expect(await verify(verifier, secret)).toMatchObject({ keyId: "k1" });
    state.nowMs = 4_999;
    expect(verifier.verify(secret)).toMatchObject({ keyId: "k1" });
    state.nowMs = 5_000;
    expect(() => verifier.verify(secret)).toThrow("replaced");
    expect(verifier.verify(next)).toMatchObject({ keyId: "k1" });
  });
});

describe("what was changed here", () => {
  test("ends a key at once, with its old value too", async () => {
    const { secret, verifier, replace } = setUp();
    await verify(verifier, secret);
    verifier.forget(replace({ status: "disabled" }));
    await expect(verify(verifier, secret)).rejects.toThrow("disabled");
    verifier.forget(replace({ status: "active" }));
    expect(await verify(verifier, secret)).toMatchObject({ keyId: "k1" });
  });

  test("ends a key also while a look-up from before the change is under way", async () => {
    const { secret, verifier, replace } = setUp();
    const early = verify(verifier, secret);
    const before = replace({ status: "disabled" });
    verifier.forget(before);
    const late = verify(verifier, secret);
    await early;
    await expect(late).rejects.toThrow("disabled");
    await expect(verify(verifier, secret)).rejects.toThrow("disabled");
  });

  test("is not undone by an outage that follows", async () => {
    const { secret, state, verifier, replace } = setUp();
    await verify(verifier, secret);
    state.monotonicMs = 6_000;
    const before = replace({ status: "disabled" });
    state.down = true;
    const pending = verify(verifier, secret);
    verifier.forget(before);
    await expect(pending).rejects.toMatchObject({ kind: "database" });
    await expect(verify(verifier, secret)).rejects.toMatchObject({ kind: "database" });
  });

  test("about a team reaches all its keys at once, and no other team's", async () => {
    const { secret, state, verifier, put, replace } = setUp();
    put("sk-second", { id: "k2" });
    await Promise.all([verify(verifier, secret), verify(verifier, "sk-second")]);
    replace({}, { status: "blocked", blockedReason: "admin" });
    verifier.forgetTeam("another");
    expect(verifier.verify(secret)).toMatchObject({ keyId: "k1" });
    const { lookUps } = state;
    verifier.forgetTeam("t1");
    await expect(verify(verifier, secret)).rejects.toMatchObject({ kind: "team_blocked" });
    await verify(verifier, "sk-second");
    expect(state.lookUps).toBe(lookUps + 2);
  });
});

describe("a key with allowed addresses", () => {
  test.each(["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::5"])("works from %s", async (address) => {
    const { secret, verifier } = setUp({ allowedIps: ["192.0.2.0/24", "2001:db8::/32"] });
    expect(await verify(verifier, secret, from(address))).toMatchObject({ keyId: "k1" });
    expect(verifier.verify(secret, from(address))).toMatchObject({ keyId: "k1" });
  });

  test.each(["192.0.3.7", "2001:db9::5", null, ""])("is 403 from %p", async (address) => {
    const { secret, verifier } = setUp({ allowedIps: ["192.0.2.0/24", "2001:db8::/32"] });
    await expect(verify(verifier, secret, from(address))).rejects.toMatchObject({ kind: "permission" });
  });
});

describe("who tries many keys", () => {
  const malformed = (): string => newKey().replace(/.$/, (last) => (last === "a" ? "b" : "a"));
  const attempt = (verifier: KeyVerifier, key: string, address: string) =>
    verify(verifier, key, from(address)).then(
      () => null,
      (thrown: GatewayError) => thrown,
    );

  test.each([
    ["well-formed", newKey],
    ["malformed", malformed],
    ["of another kind", () => `pk-${newKey()}`],
  ])("is 429 after sixty unknown ones in a minute, %s", async (_, make) => {
    const { secret, state, verifier } = setUp();
    for (let index = 0; index < 60; index++) {
      expect((await attempt(verifier, make(), "192.0.2.1"))?.kind).toBe("authentication");
    }
    state.monotonicMs = 10_000;
    const refused = await attempt(verifier, make(), "192.0.2.1");
    expect(refused).toMatchObject({ kind: "rate_limit", headers: { "retry-after": "50" } });
    expect(await attempt(verifier, secret, "192.0.2.1")).toBeNull();
    expect((await attempt(verifier, make(), "192.0.2.2"))?.kind).toBe("authentication");
    state.monotonicMs = 60_000;
    expect((await attempt(verifier, make(), "192.0.2.1"))?.kind).toBe("authentication");
  });

  test("from one IPv6 network counts as one; a client that repeats one wrong key is not guessing", async () => {
    const { verifier } = setUp();
    const wrong = newKey();
    for (let index = 0; index < 200; index++) await attempt(verifier, wrong, "2001:db8::1");
    expect((await attempt(verifier, wrong, "2001:db8::1"))?.kind).toBe("authentication");
    for (let index = 0; index < 60; index++) await attempt(verifier, newKey(), `2001:db8::${index}`);
    expect((await attempt(verifier, newKey(), "2001:db8::ffff"))?.kind).toBe("rate_limit");
  });
});
