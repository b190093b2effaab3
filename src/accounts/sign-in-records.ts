import type { BudgetWindow } from "../contract/duration.ts";
import type { TokenScope } from "../contract/management-tokens.ts";

/** A second factor: codes by time, from a secret that the person's app has too. */
export interface TwoFactorRecord {
  readonly userId: number;
  /** Sealed: it has to be read again for each check. */
  readonly secret: string;
  /** Null until the first code has shown that the app has the secret. */
  readonly confirmedAt: number | null;
  /** The step of time of the last code that was accepted; no code of it or of an earlier one is accepted again. */
  readonly lastStep: number | null;
  readonly createdAt: number;
}

/** Good once, in place of a code, for who has lost the app. */
export interface RecoveryCode {
  readonly id: string;
  readonly userId: number;
  readonly hash: string;
  readonly usedAt: number | null;
}

/** Somebody as an issuer of single sign-on knows them. */
export interface UserIdentity {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly userId: number;
  /** What the issuer called their address the last time. */
  readonly email: string;
  readonly createdAt: number;
  readonly lastLoginAt: number;
}

/** A key pair of a person's device or password manager, of which the public half is here. */
export interface Passkey {
  readonly id: string;
  readonly userId: number;
  /** What the device calls it, in base64url. */
  readonly credentialId: string;
  /** In the form of COSE, in base64url. */
  readonly publicKey: string;
  /** How often the device says that it has signed; 0 for good where it does not count. */
  readonly counter: bigint;
  /** The host that it was made at, and the only one that it is good at. */
  readonly rpId: string;
  /** How a browser reaches the device, in the browser's words. */
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** By which a program manages one organization on behalf of a person. Gone when the person leaves the organization. */
export interface ManagementToken {
  readonly id: string;
  readonly userId: number;
  readonly organizationId: string;
  readonly name: string;
  /** HMAC of the whole token, which is never stored itself. */
  readonly hash: string;
  readonly last4: string;
  readonly scopes: readonly TokenScope[];
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
}

/** A program that waits for a person to let it in. Both of its codes are stored as an HMAC. */
export interface DeviceLogin {
  readonly id: string;
  readonly deviceHash: string;
  readonly userCodeHash: string;
  readonly status: "pending" | "approved" | "denied" | "used";
  /** Who approved or denied it. */
  readonly userId: number | null;
  readonly userAgent: string;
  readonly address: string | null;
  /** How long the program has to wait between two questions. */
  readonly intervalSeconds: number;
  readonly lastPolledAt: number | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An app that a person lets have a key. Its code is stored as an HMAC; the key is made when the app brings the code. */
export interface ConnectGrant {
  readonly id: string;
  readonly codeHash: string;
  readonly status: "open" | "used";
  readonly userId: number;
  readonly teamId: string;
  /** Where the code was sent to. */
  readonly callbackUrl: string;
  /** The SHA-256 of what only the app knows, as base64url. */
  readonly challenge: string;
  /** What the key will be limited to. */
  readonly budget: bigint | null;
  readonly budgetWindow: BudgetWindow | null;
  readonly keyExpiresAt: number | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}
