import type { KeyVerifier } from "../accounts/key-verifier.ts";
import type { KeyCaller, Peer } from "../contract/caller.ts";
import type { GatewayDeps } from "../gateway/call/gateway.ts";
import { ClientSecrets } from "../gateway/interfaces/realtime/client-secrets.ts";
import { RealtimeSessions } from "../gateway/interfaces/realtime/sessions.ts";
import type { CredentialHeaders } from "../http/credential-headers.ts";
import type { Route } from "../http/route.ts";
import { EPHEMERAL_PREFIX, findSocketKey } from "../http/socket-key.ts";
import { realtimeRoutes } from "../routes/inference/realtime.ts";

interface Parts {
  readonly gateway: GatewayDeps;
  readonly verifier: KeyVerifier;
  readonly callerOf: (keyId: string, address: string | null) => Promise<KeyCaller>;
  readonly sealingKey: Uint8Array;
  readonly carriers: CredentialHeaders;
}

interface RealtimeParts {
  readonly routes: readonly Route[];
  readonly sessions: RealtimeSessions;
  /** The key behind a secret for a session, as it stands now. */
  callerOf(secret: string, peer: Peer): Promise<KeyCaller>;
}

export function composeRealtime({ gateway, verifier, callerOf, sealingKey, carriers }: Parts): RealtimeParts {
  const sessions = new RealtimeSessions();
  const secrets = new ClientSecrets(sealingKey, () => gateway.clock.nowMs());
  const routes = realtimeRoutes({
    gateway,
    sessions,
    secrets,
    secretOf(headers) {
      const key = findSocketKey(headers, carriers);
      return key?.startsWith(EPHEMERAL_PREFIX) ? secrets.read(key) : null;
    },
    renewal(headers, { keyId }, remoteAddress) {
      const key = findSocketKey(headers, carriers);
      // A secret opens a session and need not outlast it.
      return key?.startsWith("sk-")
        ? () => verifier.verify(key, { remoteAddress })
        : () => callerOf(keyId, remoteAddress);
    },
  });
  return {
    routes,
    sessions,
    callerOf: async (secret, { remoteAddress }) => callerOf(secrets.read(secret).keyId, remoteAddress),
  };
}
