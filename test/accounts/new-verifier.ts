import { newKey } from "../../src/accounts/key-format.ts";
import { newKeyRecord } from "../../src/accounts/key-record.ts";
import { KeyVerifier } from "../../src/accounts/key-verifier.ts";
import type { ApiKey, Team } from "../../src/accounts/records.ts";
import type { KeyStanding } from "../../src/accounts/store.ts";
import { newTeamRecord } from "../../src/accounts/team-record.ts";
import type { KeyCaller, Peer } from "../../src/contract/caller.ts";
import { GatewayError } from "../../src/contract/errors.ts";

export const MASTER = "sk-master-master-master";
export const TEAM: Team = { ...newTeamRecord("o1", "Team", 0), id: "t1", models: ["team-model"] };
export const KEY: ApiKey = {
  ...newKeyRecord({ key: "", hash: "", teamId: "t1", name: "Key", createdBy: null, now: 0 }),
  id: "k1",
};

export const OPEN: Pick<KeyStanding, "organization" | "member" | "user"> = {
  organization: {
    billing: "prepaid",
    status: "active",
    models: [],
    timezone: "UTC",
    storePrompts: false,
    allowedIps: [],
    budget: null,
    budgetWindow: null,
    rpmLimit: null,
    tpmLimit: null,
    parallelLimit: null,
  },
  member: null,
  user: null,
};

/** A key store that counts its look-ups, can fail, and can be changed behind the verifier's back. */
export function setUp(changes: Partial<ApiKey> = {}, team: Partial<Team> = {}) {
  const secret = newKey();
  const state = { lookUps: 0, down: false, nowMs: 1_000, monotonicMs: 0, writes: [] as [string, number][] };
  const clock = { nowMs: () => state.nowMs, monotonicMs: () => state.monotonicMs };
  const rows: KeyStanding[] = [];
  const store = {
    async findByHash(hash: string) {
      state.lookUps++;
      const found = rows.find(({ key }) => key.hash === hash || key.previousHash === hash) ?? null;
      if (state.down) throw new GatewayError("database", "down");
      return found;
    },
    async noteUse(used: readonly (readonly [string, number])[]) {
      if (state.down) throw new GatewayError("database", "down");
      for (const [id, lastUsedAt] of used) state.writes.push([id, lastUsedAt]);
    },
  };
  const verifier = new KeyVerifier(store, new Uint8Array(32), MASTER, clock);
  const put = (value: string, more: Partial<ApiKey> = {}): void => {
    rows.push({
      key: { ...KEY, hash: verifier.hash(value), ...changes, ...more },
      team: { ...TEAM, ...team },
      ...OPEN,
    });
  };
  put(secret);
  const replace = (key: Partial<ApiKey>, changedTeam: Partial<Team> = {}): ApiKey => {
    const before = rows[0] as KeyStanding;
    rows[0] = { ...before, key: { ...before.key, ...key }, team: { ...before.team, ...changedTeam } };
    return before.key;
  };
  return { secret, state, verifier, rows, put, replace };
}

export const verify = async (verifier: KeyVerifier, key: string, peer?: Peer): Promise<KeyCaller> =>
  verifier.verify(key, peer);
export const from = (remoteAddress: string | null): Peer => ({ remoteAddress });
