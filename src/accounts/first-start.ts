import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { randomBase62 } from "../lib/ids.ts";
import { type Actor, type ChangeNote, change } from "./change.ts";
import { giveFirstCredit } from "./credits.ts";
import { newKey } from "./key-format.ts";
import { newKeyRecord } from "./key-record.ts";
import type { Passwords } from "./passwords.ts";
import type { User } from "./records.ts";
import { createOrganization } from "./sign-up.ts";
import type { AccountStores } from "./store.ts";

export interface FirstStartInput {
  readonly adminEmail: string;
  readonly adminPassword: string | null;
  readonly demo: boolean;
  readonly secretFingerprint: string;
  readonly hashKey: (key: string) => string;
}

/** What was made at the very first start; the only time that it can be shown. */
export interface FirstStart {
  readonly adminEmail: string;
  /** Null when the operator chose it. */
  readonly generatedPassword: string | null;
  readonly demoKey: string | null;
}

/** Ten dollars, so that the demo has something to spend. */
const DEMO_CREDIT = 10_000_000_000n;
const FINGERPRINT = "secret_fingerprint";

/**
 * Creates the admin and, unless switched off, a demo organization with a team and a key, all or nothing. Null when
 * that has been done before. A database that belongs to another secret is refused: no key in it could be verified.
 */
export async function firstStart(
  stores: AccountStores,
  passwords: Passwords,
  clock: Clock,
  input: FirstStartInput,
): Promise<FirstStart | null> {
  if (await isKnown(stores, input.secretFingerprint)) return null;
  const generatedPassword = input.adminPassword === null ? randomBase62(20) : null;
  const passwordHash = await passwords.hash(input.adminPassword ?? generatedPassword ?? "");
  const demoKey = input.demo ? newKey() : null;
  try {
    await stores.transaction(async (tx) => {
      await tx.settings.put(FINGERPRINT, input.secretFingerprint);
      const admin = await createAdmin(tx, clock, input.adminEmail, passwordHash);
      if (demoKey) await createDemo(tx, clock, admin.id, demoKey, input.hashKey(demoKey));
    });
  } catch (thrown) {
    // Another replica was first: what it made stands, and it has printed it.
    if (
      thrown instanceof GatewayError &&
      thrown.kind === "conflict" &&
      (await isKnown(stores, input.secretFingerprint))
    ) {
      return null;
    }
    throw thrown;
  }
  return { adminEmail: input.adminEmail, generatedPassword, demoKey };
}

/** Whether this database has begun; with another secret than this one it is refused. */
export async function isKnown(stores: AccountStores, fingerprint: string): Promise<boolean> {
  const stored = await stores.settings.find(FINGERPRINT);
  if (stored !== null && stored !== fingerprint) throw new SecretMismatchError();
  return stored !== null;
}

const SYSTEM: Actor = { caller: null, address: null };

function createAdmin(tx: AccountStores, clock: Clock, email: string, passwordHash: string): Promise<User> {
  const now = clock.nowMs();
  return change(
    tx,
    clock,
    SYSTEM,
    (inner) =>
      inner.users.insert({
        email: email.toLowerCase(),
        name: "Administrator",
        role: "admin",
        status: "active",
        passwordHash,
        // Whoever runs the installation vouches for it.
        emailVerifiedAt: now,
        lastLoginAt: null,
        createdAt: now,
        updatedAt: now,
      }),
    ({ id, role }) => noteOf("user", String(id), null, { role }),
  );
}

async function createDemo(tx: AccountStores, clock: Clock, ownerId: number, key: string, hash: string): Promise<void> {
  const now = clock.nowMs();
  const organization = await change(
    tx,
    clock,
    SYSTEM,
    (inner) => createOrganization(inner, ownerId, "Demo", now),
    ({ id, name }) => noteOf("organization", id, id, { name }),
  );
  await giveFirstCredit(tx, organization.id, DEMO_CREDIT, { at: now, reason: "Demo credit" });
  const [first] = await tx.teams.list(organization.id);
  if (!first) throw new Error("a new organization has a team");
  const record = newKeyRecord({ key, hash, teamId: first.team.id, name: "Demo key", createdBy: ownerId, now });
  await change(
    tx,
    clock,
    SYSTEM,
    (inner) => inner.keys.insert(record),
    () => noteOf("api_key", record.id, organization.id, { name: record.name, teamId: record.teamId }),
  );
}

const noteOf = (
  targetType: string,
  targetId: string,
  organizationId: string | null,
  details: Readonly<Record<string, unknown>>,
): ChangeNote => ({ action: `${targetType}.create`, organizationId, targetType, targetId, details });

export class SecretMismatchError extends Error {
  override readonly name = "SecretMismatchError";
  constructor() {
    super(
      "This database was set up with another secret, so none of its keys could be verified. " +
        "Set TURNPIKE_SECRET to the secret of the installation that made it (see secrets.json in its data folder).",
    );
  }
}
