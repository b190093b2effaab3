import type {
  ConnectGrant,
  DeviceLogin,
  ManagementToken,
  Passkey,
  RecoveryCode,
  TwoFactorRecord,
  UserIdentity,
} from "./sign-in-records.ts";

/** Everything that may happen once is a single statement, so that of two racing callers one is told that it was first. */
export interface TwoFactorStore {
  find(userId: number): Promise<TwoFactorRecord | null>;
  /** Which of the users have a confirmed one. */
  confirmedAmong(userIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Takes the place of one that was never confirmed. False when a confirmed one is there. */
  propose(record: TwoFactorRecord): Promise<boolean>;
  /** False unless exactly this secret waited to be confirmed. */
  confirm(userId: number, secret: string, step: number, atMs: number): Promise<boolean>;
  /** False when a code of this step or of a later one was accepted before. */
  useStep(userId: number, step: number): Promise<boolean>;
  /** With its recovery codes. False when there was none. */
  remove(userId: number): Promise<boolean>;
  replaceCodes(userId: number, codes: readonly RecoveryCode[]): Promise<void>;
  /** False when there is no such code, or it was used. */
  useCode(userId: number, hash: string, atMs: number): Promise<boolean>;
  /** How many are left. */
  countCodes(userId: number): Promise<number>;
}

export interface IdentityStore {
  find(issuer: string, subject: string): Promise<UserIdentity | null>;
  /** Whoever the issuer means belongs to one user: a second link is a `conflict`. */
  insert(identity: UserIdentity): Promise<void>;
  update(id: string, changes: Partial<Pick<UserIdentity, "email" | "lastLoginAt">>): Promise<void>;
  listOf(userId: number): Promise<readonly UserIdentity[]>;
  removeOf(userId: number): Promise<void>;
}

export interface DeviceLoginStore {
  insert(login: DeviceLogin): Promise<void>;
  findByDevice(deviceHash: string): Promise<DeviceLogin | null>;
  findByUserCode(userCodeHash: string): Promise<DeviceLogin | null>;
  polled(id: string, atMs: number, intervalSeconds: number): Promise<void>;
  /** False when it was decided before, or is over. */
  decide(id: string, status: "approved" | "denied", userId: number, nowMs: number): Promise<boolean>;
  /** False unless it was approved, is not over and nobody has redeemed it. */
  redeem(id: string, nowMs: number): Promise<boolean>;
  /** Those that the person has approved and no program has redeemed. */
  removeApproved(userId: number): Promise<void>;
  /** Those that still wait, from one address. */
  countPending(address: string | null, nowMs: number): Promise<number>;
  /** Those that were over before a time; nobody asks for them any more. */
  removeOver(beforeMs: number): Promise<void>;
}

export interface ConnectGrantStore {
  insert(grant: ConnectGrant): Promise<void>;
  find(codeHash: string): Promise<ConnectGrant | null>;
  /** False unless it was open and is not over. */
  use(id: string, nowMs: number): Promise<boolean>;
  /** Those of the person that no app has used. */
  removeOpen(userId: number): Promise<void>;
  /** Those that were over before a time; nobody asks for them any more. */
  removeOver(beforeMs: number): Promise<void>;
}

export interface PasskeyStore {
  findByCredential(credentialId: string): Promise<Passkey | null>;
  /** A known credential is a `conflict`. */
  insert(passkey: Passkey): Promise<void>;
  /** One of the person's own; null when it is not. */
  rename(userId: number, id: string, name: string): Promise<Passkey | null>;
  /** False when it is gone, or its counter has not moved on; a device that does not count always says 0. */
  used(id: string, counter: bigint, atMs: number): Promise<boolean>;
  /** One of the person's own; null when it is not. */
  remove(userId: number, id: string): Promise<Passkey | null>;
  /** Gives how many these were. */
  removeOf(userId: number): Promise<number>;
  /** The oldest first. */
  listOf(userId: number): Promise<readonly Passkey[]>;
  /** How many each of these people has; who has none is not named. */
  countAmong(userIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

export interface SpentChallengeStore {
  /** Of all who spend it, one is told true. */
  spend(challenge: string, expiresAt: number): Promise<boolean>;
  /** Those that were over before a time: nobody can answer them any more. */
  removeOver(beforeMs: number): Promise<void>;
}

export interface ManagementTokenStore {
  findByHash(hash: string): Promise<ManagementToken | null>;
  insert(token: ManagementToken): Promise<void>;
  used(id: string, atMs: number): Promise<void>;
  /** One of the person's own; null when it is not. */
  remove(userId: number, id: string): Promise<ManagementToken | null>;
  removeOf(userId: number): Promise<void>;
  /** The newest first. */
  listOf(userId: number): Promise<readonly ManagementToken[]>;
}
