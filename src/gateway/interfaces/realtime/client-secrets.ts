import { GatewayError } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import { seal, unseal } from "../../../lib/seal.ts";
import type { Fields } from "../../call/gateway.ts";

/** What a secret for one realtime session stands for. */
export interface ClientSecret {
  readonly keyId: string;
  readonly model: string;
  /** What the session is set to when it begins, without its model. */
  readonly session: Fields;
  /** For whom the session is, where that was said. */
  readonly endUser: string | null;
  readonly expiresAtMs: number;
}

const PREFIX = "ek_";
const USE = "realtime-secret";
const SEALED = "v1.";
/** It goes along in a header, and those have a limit. */
const SESSION_BYTES_MAX = 6_000;

/**
 * Secrets that a browser may have: each stands for a key, one model and what the session begins with, for a short time.
 * They are sealed and kept nowhere, so that every process can read them.
 */
export class ClientSecrets {
  constructor(
    private readonly sealingKey: Uint8Array,
    private readonly nowMs: () => number,
  ) {}

  make(secret: ClientSecret): string {
    if (Buffer.byteLength(JSON.stringify(secret.session)) > SESSION_BYTES_MAX) {
      throw new GatewayError(
        "invalid_request",
        `\`session\` has more than ${SESSION_BYTES_MAX} bytes: send what is long by \`session.update\` when the session is open.`,
        { param: "session" },
      );
    }
    return PREFIX + seal(this.sealingKey, USE, JSON.stringify(secret)).slice(SEALED.length);
  }

  /** Throws where it is not good any more, or never was. */
  read(value: string): ClientSecret {
    const secret = this.open(value);
    if (secret.expiresAtMs <= this.nowMs()) throw refused("This secret has expired; make a new one.");
    return secret;
  }

  private open(value: string): ClientSecret {
    try {
      const secret: unknown = JSON.parse(unseal(this.sealingKey, USE, SEALED + value.slice(PREFIX.length)));
      if (isRecord(secret)) return secret as unknown as ClientSecret;
    } catch {
      // Told below, as everything that is no secret of ours.
    }
    throw refused("This secret is not known here.");
  }
}

const refused = (message: string): GatewayError => new GatewayError("authentication", message);
