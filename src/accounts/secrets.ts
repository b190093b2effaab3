import { hmacBytes } from "../lib/hmac.ts";

/** What the installation's one root secret is turned into: each use has a key of its own. */
export interface DerivedSecrets {
  /** HMAC key for API keys at rest. */
  readonly keyPepper: Uint8Array;
  /** Signs session tokens. */
  readonly sessionKey: Uint8Array;
  /** Seals what has to be read again, such as second factors and stored credentials; see `lib/seal.ts`. */
  readonly sealingKey: Uint8Array;
  /** HMAC key for recovery codes and the codes of device log-ins and of apps at rest. */
  readonly codePepper: Uint8Array;
  /** Makes the tokens that pages send with each change. */
  readonly csrfKey: Uint8Array;
  /** Hashes the rows of the audit log. */
  readonly auditKey: Uint8Array;
  /** Tells two installations apart without telling the secret. */
  readonly fingerprint: string;
}

export function deriveSecrets(root: string): DerivedSecrets {
  const derive = (use: string): Buffer => hmacBytes(root, `turnpike:${use}`);
  return {
    keyPepper: derive("key-pepper"),
    sessionKey: derive("session-key"),
    sealingKey: derive("sealing-key"),
    codePepper: derive("code-pepper"),
    csrfKey: derive("csrf-key"),
    auditKey: derive("audit-key"),
    fingerprint: derive("fingerprint").toString("hex").slice(0, 16),
  };
}
