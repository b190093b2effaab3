import { createHmac } from "node:crypto";
import { hmacBytes } from "../lib/hmac.ts";

/** Made of the root secret: there is nothing to keep, and a new version is a new secret. */
export const endpointSecret = (root: string, endpointId: string, version: number): string =>
  `whsec_${hmacBytes(root, `turnpike:webhook:${endpointId}:${version}`).toString("base64")}`;

/** The three headers of Standard Webhooks: the id, the time, and the HMAC of both and the body. */
export function signWebhook(secret: string, id: string, body: string, nowMs: number): Record<string, string> {
  const seconds = String(Math.floor(nowMs / 1000));
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": `v1,${signature}` };
}
