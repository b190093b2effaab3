import { createHash } from "node:crypto";
import { TOTP } from "otpauth";
import { drawLetters, newTotpSecret } from "../../src/accounts/one-time-codes.ts";
import { deriveSecrets } from "../../src/accounts/secrets.ts";
import { hmacHex } from "../../src/lib/hmac.ts";
import { randomBase62 } from "../../src/lib/ids.ts";
import { seal } from "../../src/lib/seal.ts";
import { ROOT_SECRET, type Tenant, type World } from "./world.ts";

/** A code that is good, of a second factor that somebody is given for it. */
export async function newCode(world: World, userId: number, isConfirmed: boolean): Promise<string> {
  const secret = world.secret("second factor", await newTotpSecret());
  const sealed = seal(deriveSecrets(ROOT_SECRET).sealingKey, `totp:${userId}`, secret);
  const { twoFactors } = world.app.storage.accounts;
  const now = Date.now();
  await twoFactors.remove(userId);
  await twoFactors.propose({
    userId,
    secret: sealed,
    confirmedAt: isConfirmed ? now : null,
    lastStep: null,
    createdAt: now,
  });
  return new TOTP({ secret }).generate();
}

/** A device that waits, or one that somebody has approved. */
export async function newDevice(
  world: World,
  approvedBy: number | null,
): Promise<{ deviceCode: string; userCode: string }> {
  const { deviceLogins } = world.app.storage.accounts;
  const { codePepper } = deriveSecrets(ROOT_SECRET);
  const deviceCode = world.secret("device code", randomBase62(43));
  const letters = drawLetters("BCDFGHJKLMNPQRSTVWXZ", 8);
  const now = Date.now();
  await deviceLogins.insert({
    id: crypto.randomUUID(),
    deviceHash: hmacHex(codePepper, `device:${deviceCode}`),
    userCodeHash: hmacHex(codePepper, `user:${letters}`),
    status: approvedBy === null ? "pending" : "approved",
    userId: approvedBy,
    userAgent: "test",
    address: null,
    intervalSeconds: 5,
    lastPolledAt: null,
    createdAt: now,
    expiresAt: now + 600_000,
  });
  return { deviceCode, userCode: `${letters.slice(0, 4)}-${letters.slice(4)}` };
}

/** What an app asks for, with what only it knows. */
export const CONNECT_VERIFIER = "canary-verifier-".padEnd(43, "v");
export const CONNECT = {
  callback_url: "https://app.security.test/back",
  code_challenge: createHash("sha256").update(CONNECT_VERIFIER).digest("base64url"),
};

/** The code of an app that somebody has let have a key. */
export async function newConnectCode(world: World, { teamId, people }: Tenant): Promise<string> {
  const code = world.secret("connect code", randomBase62(43));
  const now = Date.now();
  await world.app.storage.accounts.connectGrants.insert({
    id: crypto.randomUUID(),
    codeHash: hmacHex(deriveSecrets(ROOT_SECRET).codePepper, `connect:${code}`),
    status: "open",
    userId: people.member.id,
    teamId,
    callbackUrl: CONNECT.callback_url,
    challenge: CONNECT.code_challenge,
    budget: null,
    budgetWindow: null,
    keyExpiresAt: null,
    createdAt: now,
    expiresAt: now + 300_000,
  });
  return code;
}
