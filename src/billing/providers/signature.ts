import { timingSafeEqual } from "node:crypto";
import { GatewayError } from "../../contract/errors.ts";
import { hmacHex } from "../../lib/hmac.ts";

export const TOLERANCE_MS = 300_000;

/** `t=<seconds>,v1=<HMAC of "seconds.body">`: the scheme that Stripe signs its events with. */
export function signBody(body: string, secret: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  return `t=${seconds},v1=${hmacHex(secret, `${seconds}.${body}`)}`;
}

/** Throws for a signature that none of the secrets made, and for one that is too old to be more than a replay. */
export function checkSignature(body: string, header: string | null, secrets: readonly string[], nowMs: number): void {
  const parts = (header ?? "").split(",").map((part) => part.split("=", 2) as [string, string?]);
  const seconds = Number(parts.find(([name]) => name === "t")?.[1] ?? Number.NaN);
  const given = parts.flatMap(([name, value]) => (name === "v1" && value !== undefined ? [value] : []));
  if (!Number.isSafeInteger(seconds) || given.length === 0) throw badSignature();
  const expected = secrets.filter((secret) => secret !== "").map((secret) => hmacHex(secret, `${seconds}.${body}`));
  if (!expected.some((one) => given.some((other) => isSame(one, other)))) throw badSignature();
  if (Math.abs(nowMs - seconds * 1000) > TOLERANCE_MS) throw badSignature();
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

export const badSignature = (cause?: unknown): GatewayError =>
  new GatewayError("invalid_request", "The signature of the event is missing, wrong or too old.", { cause });
