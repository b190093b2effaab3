import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { seal } from "../lib/seal.ts";
import { type Actor, change } from "./change.ts";
import { handleOf, lastFour, newKey } from "./key-format.ts";
import { afterRotation, graceSecondsOf, sealedUse, valueInUse } from "./key-rotation.ts";
import type { KeyVerifier } from "./key-verifier.ts";
import { auditDetails } from "./keys-audit.ts";
import { lockOrganization } from "./lock-organization.ts";
import type { ApiKey } from "./records.ts";
import type { AccountStores, KeyWithTeam } from "./store.ts";

export interface ScheduledRotationDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  readonly log: Logger;
  readonly verifier: Pick<KeyVerifier, "hash" | "forget">;
  readonly sealingKey: Uint8Array;
}

const NOBODY: Actor = { caller: null, address: null };
const PAGE_SIZE = 100;

/**
 * Gives keys whose time has come a new value, and keeps it sealed until somebody picks it up. Every process looks; under the
 * organization's lock the first finds the key due, and the others find its next time ahead.
 */
export class ScheduledRotation {
  private running: Promise<void> | null = null;

  constructor(private readonly deps: ScheduledRotationDeps) {}

  /** Called now and then. Never throws: what failed is due the next time. */
  tick(): Promise<void> {
    this.running ??= this.rotateDue().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async rotateDue(): Promise<void> {
    const { stores, clock, log } = this.deps;
    const now = clock.nowMs();
    try {
      let due: readonly KeyWithTeam[] = [];
      // Those that cannot be rotated stay due. They hold nobody back: the next page begins after them.
      do {
        due = await stores.keys.listDue(now, PAGE_SIZE, due.at(-1)?.key);
        for (const one of due) {
          await this.rotate(one).catch((err: unknown) =>
            log.error({ err, keyId: one.key.id }, "a key could not be rotated; trying again later"),
          );
        }
      } while (due.length === PAGE_SIZE);
    } catch (err) {
      log.error({ err }, "keys that are due for rotation could not be looked up; trying again later");
    }
  }

  private async rotate({ key: seen, team }: KeyWithTeam): Promise<void> {
    const { stores, clock, verifier } = this.deps;
    const { organizationId } = team;
    let before: ApiKey = seen;
    try {
      await change(
        stores,
        clock,
        NOBODY,
        async (tx) => {
          const now = clock.nowMs();
          await lockOrganization(tx, organizationId, now);
          const key = (await tx.keys.find(seen.id))?.key;
          if (!key || !isDue(key, now)) return null;
          before = key;
          const changes = await this.renew(tx, key, now);
          return { changes, owner: await ownerIn(tx, key), until: changes.previousUntil };
        },
        (made) =>
          made && {
            action: "api_key.rotate",
            organizationId,
            targetType: "api_key",
            targetId: seen.id,
            details: {
              ...auditDetails(before, made.changes),
              teamId: team.id,
              scheduled: true,
              owner: made.owner,
              previousValidUntil: made.until === null ? null : new Date(made.until).toISOString(),
            },
          },
      );
    } finally {
      verifier.forget(before);
    }
  }

  /** A value that nobody has picked up ends unseen: the one that programs have goes on no longer for it. */
  private async renew(tx: AccountStores, key: ApiKey, now: number) {
    const { verifier, sealingKey } = this.deps;
    const secret = newKey();
    const hash = verifier.hash(secret);
    const inUse = valueInUse(key, now);
    const endsAt = key.unseenAt === null ? now + (graceSecondsOf(key, now) ?? 0) * 1000 : key.previousUntil;
    const changes = {
      hash,
      handle: handleOf(secret),
      last4: lastFour(secret),
      previousHash: inUse,
      previousUntil: inUse === null ? null : endsAt,
      unseenAt: now,
      ...afterRotation(key, now),
      updatedAt: now,
    };
    await tx.keys.update(key.id, changes);
    await tx.keys.keepUnseen(key.id, seal(sealingKey, sealedUse({ id: key.id, hash }), secret));
    return changes;
  }
}

const isDue = ({ rotationAt, status, expiresAt }: ApiKey, now: number): boolean =>
  rotationAt !== null && rotationAt <= now && status === "active" && (expiresAt === null || expiresAt > now);

/** Whoever made the key, as long as they are in its team and may pick the value up. */
async function ownerIn(tx: AccountStores, { teamId, createdBy }: ApiKey): Promise<number | null> {
  if (createdBy === null) return null;
  return (await tx.teamMembers.find(teamId, createdBy)) === null ? null : createdBy;
}
