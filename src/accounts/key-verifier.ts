import type { KeyCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { hmacHex } from "../lib/hmac.ts";
import { isPlausibleKey } from "./key-format.ts";
import type { ApiKey, Team } from "./records.ts";
import type { KeyStore } from "./store.ts";

/** A change made by another process is seen after this long; one made here, at once. */
const FRESH_MS = 5_000;
const ENTRIES_MAX = 200_000;

interface Entry {
  /** The database did not answer when this was to be looked up again: what was known is used meanwhile. */
  readonly outage?: true;
  readonly found: { readonly key: ApiKey; readonly team: Team; readonly caller: KeyCaller } | null;
  readonly loadedAtMs: number;
}

/**
 * Turns a key into its caller. A warm key is answered from memory without a promise; misses are looked up once
 * however many calls ask; while the database is away, what was known goes on.
 */
export class KeyVerifier {
  private readonly entries = new Map<string, Entry>();
  private readonly loading = new Map<string, Promise<KeyCaller>>();
  private readonly masterHash: string;

  constructor(
    private readonly store: KeyStore,
    private readonly pepper: Uint8Array,
    masterKey: string,
    private readonly clock: Clock,
  ) {
    this.masterHash = this.hash(masterKey);
  }

  /** What is stored in place of a key. Equality of two HMACs tells nothing about where two keys differ. */
  hash(key: string): string {
    return hmacHex(this.pepper, key);
  }

  verify(key: string): KeyCaller | Promise<KeyCaller> {
    const hash = this.hash(key);
    if (hash === this.masterHash) return MASTER;
    const entry = this.entries.get(hash);
    if (entry && this.clock.monotonicMs() - entry.loadedAtMs < FRESH_MS) return this.admit(entry);
    if (!entry && !isPlausibleKey(key)) throw unknownKey();
    const pending = this.loading.get(hash) ?? this.load(hash, entry);
    if (!entry?.outage) return pending;
    // Nobody waits a time-out for what will most likely be the same answer; the look-up goes on behind the call.
    pending.catch(() => undefined);
    return this.admit(entry);
  }

  private load(hash: string, stale: Entry | undefined): Promise<KeyCaller> {
    const pending = this.store
      .findByHash(hash)
      .then((row) => this.remember(hash, row))
      .catch((thrown) => {
        if (!stale || !(thrown instanceof GatewayError) || thrown.kind !== "database") throw thrown;
        const kept: Entry = { ...stale, outage: true };
        this.entries.set(hash, kept);
        return kept;
      })
      .then((entry) => this.admit(entry))
      .finally(() => this.loading.delete(hash));
    this.loading.set(hash, pending);
    return pending;
  }

  private remember(hash: string, row: { key: ApiKey; team: Team } | null): Entry {
    const found = row && { ...row, caller: toCaller(row.key, row.team) };
    const entry: Entry = { found, loadedAtMs: this.clock.monotonicMs() };
    // The oldest entry goes first: a Map keeps the order in which keys were set.
    this.entries.delete(hash);
    if (this.entries.size >= ENTRIES_MAX) this.entries.delete(this.entries.keys().next().value ?? "");
    this.entries.set(hash, entry);
    return entry;
  }

  private admit(entry: Entry): KeyCaller {
    if (!entry.found) throw unknownKey();
    const { key, team, caller } = entry.found;
    if (key.status !== "active") throw new GatewayError("authentication", "This key is disabled.");
    if (key.expiresAt !== null && key.expiresAt <= this.clock.nowMs()) {
      throw new GatewayError("authentication", "This key has expired.");
    }
    if (team.status === "blocked") throw new GatewayError("team_blocked", "The team of this key is blocked.");
    return caller;
  }
}

const MASTER: KeyCaller = {
  kind: "key",
  master: true,
  keyId: "master",
  keyName: "master key",
  teamId: null,
  organizationId: null,
  models: [],
};

const toCaller = (key: ApiKey, team: Team): KeyCaller => ({
  kind: "key",
  master: false,
  keyId: key.id,
  keyName: key.name,
  teamId: team.id,
  organizationId: team.organizationId,
  models: key.models.length > 0 ? key.models : team.models,
});

const unknownKey = (): GatewayError => new GatewayError("authentication", "This key is not known here.");
