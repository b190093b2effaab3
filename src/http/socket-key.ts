import { GatewayError } from "../contract/errors.ts";
import { bearer, type CredentialHeaders } from "./credential-headers.ts";

/** What a secret for one realtime session begins with. */
export const EPHEMERAL_PREFIX = "ek_";

/** Browsers can set no header of a WebSocket, and send the key among the sub-protocols that they would speak. */
const OFFERED_KEY = "openai-insecure-api-key.";
const SPOKEN = "realtime";
const BEARER = /^Bearer +(\S+)$/i;

const offered = (headers: Headers): string[] =>
  (headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());

/** The sub-protocol that is spoken, where it was offered: a browser wants one of its own to be chosen. */
export const spokenProtocol = (headers: Headers): string | null => (offered(headers).includes(SPOKEN) ? SPOKEN : null);

/** Whether the caller speaks the interface from before it was released, as it says in a header or among the sub-protocols. */
export const speaksBeta = (headers: Headers): boolean =>
  (headers.get("openai-beta") ?? "").includes("realtime=v1") || offered(headers).includes("openai-beta.realtime-v1");

/** The key or secret that a WebSocket is opened with, wherever it stands; null where there is none. Two different ones are refused. */
export function findSocketKey(headers: Headers, { headers: carriers }: CredentialHeaders): string | null {
  const sent = carriers.flatMap((name) => {
    const header = headers.get(name);
    if (header === null) return [];
    return name === "authorization" ? bearer(header) : header.replace(BEARER, "$1").trim();
  });
  const listed = offered(headers).filter((name) => name.startsWith(OFFERED_KEY));
  const [key = null, ...others] = new Set([...sent, ...listed.map((name) => name.slice(OFFERED_KEY.length))]);
  if (others.length > 0) throw new GatewayError("authentication", "Two different keys were sent; send one.");
  return key;
}
