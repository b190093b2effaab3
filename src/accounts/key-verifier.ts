import type { KeyCaller, Peer } from "../contract/caller.ts";
import { isDatabaseAway } from "../contract/database-away.ts";
import { GatewayError } from "../contract/errors.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import { hmacHex } from "../lib/hmac.ts";
import { compileRanges, type IpRanges } from "../lib/ip-range.ts";
import { isPlausibleKey } from "./key-format.ts";
import { isSameTeam, type KnownTeam, MASTER, toCaller, toKnownTeam } from "./key-standing.ts";
import { KeyThrottle } from "./key-throttle.ts";
import { KeyUsage } from "./key-usage.ts";
import type { ApiKey } from "./records.ts";
import type { KeyStanding, KeyStore } from "./store.ts";

/** A change made by another process is seen after this long; one made here, or by a sibling of ours, at once. */
const FRESH_MS = 5_000;
/**
 * Where nobody else can change anything, this is only a net: looking 10,000 keys up again every five seconds cost more than
 * all that was done for their calls, and every thirty a third of it.
 */
export const FRESH_ALONE_MS = 300_000;
const KNOWN_MAX = 200_000;
const UNKNOWN_MAX = 20_000;
const TEAMS_MAX = 200_000;
/** So many keys are recognised by their text: an HMAC took 3 µs of each call. */
const HASHES_MAX = 20_000;

const CLOSED = "The organization of this key is blocked; an administrator of the installation can unblock it.";
const ELSEWHERE = "The keys of this organization may not be used from your address.";
const BLOCKED = {
  balance:
    "The team of this key is blocked because the organization's balance is negative; adding credits unblocks it.",
  admin: "The team of this key is blocked by an administrator of the installation, who can unblock it.",
} as const;
const NEVER = Number.NEGATIVE_INFINITY;

/** What is kept of a key: no more than admission asks, because there may be very many. */
interface Known {
  readonly caller: KeyCaller;
  /** Shared by the keys of a team, so that forgetting a team forgets what is known of its keys. */
  readonly team: KnownTeam;
  readonly disabled: boolean;
  readonly expiresAt: number | null;
  /** Until when the value that was looked up goes on after a rotation; null for the present one. */
  readonly replacedAt: number | null;
  readonly ranges: IpRanges | null;
  readonly loadedAtMs: number;
  /** Up to when its use is on record, and when it was last used here. */
  usedAt: number;
  lastAt: number;
  /** The database was away when its look-up began: what was known is used until that ends. */
  outage: boolean;
}

/**
 * Turns a key into its caller. A warm key is answered from memory without a promise; misses are looked up once
 * however many calls ask; while the database is away, what was known goes on.
 */
export class KeyVerifier {
  private readonly known = new BoundedMap<string, Known>(KNOWN_MAX);
  /** Values that no key has, with when that was learnt: apart, so that guesses push out no key. */
  private readonly unknown = new BoundedMap<string, number>(UNKNOWN_MAX);
  private readonly teams = new BoundedMap<string, KnownTeam>(TEAMS_MAX);
  private readonly loading = new Map<string, Promise<Known | null>>();
  readonly throttle: KeyThrottle;
  private readonly usage: KeyUsage;
  private readonly masterHash: string;
  /** Of keys that were let in; guesses are not kept. */
  private readonly hashes = new BoundedMap<string, string>(HASHES_MAX);
  /** When the database last did not answer. No call relies on that for long: the key may have been removed since. */
  private awayAtMs = NEVER;
  /** Counts what was forgotten: a look-up that began before may have read what is no longer so. */
  private forgotten = 0;

  constructor(
    private readonly store: Pick<KeyStore, "findByHash" | "noteUse">,
    private readonly pepper: Uint8Array,
    masterKey: string,
    private readonly clock: Clock,
    private readonly freshMs = FRESH_MS,
  ) {
    this.masterHash = this.hash(masterKey);
    this.throttle = new KeyThrottle(clock);
    this.usage = new KeyUsage(store);
  }

  /** What is stored in place of a key. Equality of two HMACs tells nothing about where two keys differ. */
  hash(key: string): string {
    return hmacHex(this.pepper, key);
  }

  isMaster(hash: string): boolean {
    return hash === this.masterHash;
  }

  verify(key: string, peer: Peer = NOWHERE): KeyCaller | Promise<KeyCaller> {
    const kept = this.hashes.get(key);
    const hash = kept ?? this.hash(key);
    if (hash === this.masterHash) return MASTER;
    const now = this.clock.monotonicMs();
    const known = this.find(hash);
    if (known && now - known.loadedAtMs < this.freshMs) {
      if (kept === undefined) this.hashes.set(key, hash);
      return this.admit(known, peer);
    }
    if (!known && (this.isUnknown(hash, now) || !isPlausibleKey(key)))
      throw this.throttle.refusal(hash, peer.remoteAddress);
    const pending = this.loading.get(hash) ?? this.load(hash, known);
    if (known?.outage) {
      // Nobody waits a time-out for what will most likely be the same answer; the look-up goes on behind the call.
      pending.catch(() => undefined);
      return this.admit(known, peer);
    }
    return pending.then((found) => {
      if (!found) throw this.throttle.refusal(hash, peer.remoteAddress);
      return this.admit(found, peer);
    });
  }

  /** The caller behind a key that is known by its record, as if the key itself had been sent. */
  async verifyStored(hash: string, peer: Peer): Promise<KeyCaller> {
    const kept = this.find(hash);
    const isFresh = kept !== undefined && this.clock.monotonicMs() - kept.loadedAtMs < this.freshMs;
    const known = isFresh ? kept : await (this.loading.get(hash) ?? this.load(hash, kept));
    if (!known) throw new GatewayError("not_found", "There is no such key.");
    return this.admit(known, peer);
  }

  /** After a key was changed here: the next call looks it up again. */
  forget(key: Pick<ApiKey, "hash" | "previousHash">): void {
    for (const hash of [key.hash, key.previousHash]) {
      if (hash === null) continue;
      this.known.delete(hash);
      this.unknown.delete(hash);
    }
    this.forgetLookUps();
  }

  /** After a team was changed or removed here. */
  forgetTeam(teamId: string): void {
    const team = this.teams.get(teamId);
    if (team) team.forgotten = true;
    this.teams.delete(teamId);
    this.forgetLookUps();
  }

  /** After something was changed here that any key may have. */
  forgetAll(): void {
    this.known.clear();
    for (const team of this.teams.values()) team.forgotten = true;
    this.teams.clear();
    this.forgetLookUps();
  }

  /** When a key was last used: what is on record may be a minute behind what was seen here. */
  lastUsedAt({ hash, previousHash, lastUsedAt }: Pick<ApiKey, "hash" | "previousHash" | "lastUsedAt">): number | null {
    const seenAt = Math.max(
      this.known.get(hash)?.lastAt ?? NEVER,
      previousHash === null ? NEVER : (this.known.get(previousHash)?.lastAt ?? NEVER),
    );
    return seenAt === NEVER ? lastUsedAt : Math.max(seenAt, lastUsedAt ?? NEVER);
  }

  /** Writes when keys were last used; to be called now and then. Never throws. */
  flushUsage(): Promise<void> {
    return this.usage.flush();
  }

  private forgetLookUps(): void {
    this.forgotten++;
    this.loading.clear();
  }

  private find(hash: string): Known | undefined {
    const known = this.known.get(hash);
    return known?.team.forgotten ? undefined : known;
  }

  private isUnknown(hash: string, now: number): boolean {
    const learntAtMs = this.unknown.get(hash);
    return learntAtMs !== undefined && now - learntAtMs < this.freshMs;
  }

  private load(hash: string, stale: Known | undefined): Promise<Known | null> {
    const { forgotten } = this;
    if (stale) stale.outage = this.clock.monotonicMs() - this.awayAtMs < FRESH_MS;
    const isCurrent = (): boolean => this.forgotten === forgotten;
    const pending: Promise<Known | null> = this.store
      .findByHash(hash)
      .then(
        (row) => {
          this.awayAtMs = NEVER;
          return isCurrent() ? this.remember(hash, row) : row && this.toKnown(hash, row, toKnownTeam(row));
        },
        (thrown) => {
          const isOutage = isDatabaseAway(thrown);
          if (isOutage) this.awayAtMs = this.clock.monotonicMs();
          if (!stale || !isOutage || !isCurrent()) throw thrown;
          return stale;
        },
      )
      .finally(() => {
        if (this.loading.get(hash) === pending) this.loading.delete(hash);
      });
    this.loading.set(hash, pending);
    return pending;
  }

  private remember(hash: string, row: KeyStanding | null): Known | null {
    if (!row) {
      this.known.delete(hash);
      this.unknown.set(hash, this.clock.monotonicMs());
      return null;
    }
    this.unknown.delete(hash);
    const known = this.toKnown(hash, row, this.shareTeam(toKnownTeam(row)));
    this.known.set(hash, known);
    return known;
  }

  private toKnown(hash: string, row: KeyStanding, team: KnownTeam): Known {
    const { key } = row;
    return {
      caller: toCaller(row, team),
      team,
      disabled: key.status !== "active",
      expiresAt: key.expiresAt,
      replacedAt: hash === key.hash ? null : (key.previousUntil ?? 0),
      ranges: key.allowedIps.length > 0 ? compileRanges(key.allowedIps) : null,
      loadedAtMs: this.clock.monotonicMs(),
      usedAt: Math.max(key.lastUsedAt ?? NEVER, this.known.get(hash)?.usedAt ?? NEVER),
      lastAt: this.known.get(hash)?.lastAt ?? NEVER,
      outage: false,
    };
  }

  /** One object for all keys of a team. Where the team has changed, what is known of its other keys is out of date. */
  private shareTeam(next: KnownTeam): KnownTeam {
    const present = this.teams.get(next.id);
    if (present && isSameTeam(present, next)) return present;
    if (present) present.forgotten = true;
    const pushedOut = this.teams.set(next.id, next);
    if (pushedOut) pushedOut.forgotten = true;
    return next;
  }

  private admit(known: Known, peer: Peer): KeyCaller {
    const now = this.clock.nowMs();
    if (known.disabled) throw new GatewayError("authentication", "This key is disabled.");
    if (known.expiresAt !== null && known.expiresAt <= now) {
      throw new GatewayError("authentication", "This key has expired.");
    }
    if (known.replacedAt !== null && known.replacedAt <= now) {
      throw new GatewayError("authentication", "This key was replaced by a new one.");
    }
    if (known.ranges && !known.ranges.has(peer.remoteAddress ?? "")) {
      throw new GatewayError("permission", "This key may not be used from your address.");
    }
    if (known.team.ranges && !known.team.ranges.has(peer.remoteAddress ?? "")) {
      throw new GatewayError("permission", ELSEWHERE);
    }
    if (known.team.closed) throw new GatewayError("team_blocked", CLOSED);
    if (known.team.blocked) throw new GatewayError("team_blocked", BLOCKED[known.team.blocked]);
    known.lastAt = now;
    known.usedAt = this.usage.note(known.caller.keyId, known.usedAt, now);
    return known.caller;
  }
}

const NOWHERE: Peer = { remoteAddress: null };
