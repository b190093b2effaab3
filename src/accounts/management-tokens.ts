import type { Peer, SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { TokenScope } from "../contract/management-tokens.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { compileRanges } from "../lib/ip-range.ts";
import { activeOrganization, requireOrganization } from "./access.ts";
import { change } from "./change.ts";
import { cleanName } from "./clean-name.ts";
import { lockSignedIn } from "./end-sign-ins.ts";
import { isPlausibleToken, lastFour, newToken } from "./key-format.ts";
import type { KeyVerifier } from "./key-verifier.ts";
import { lockOrganization } from "./lock-organization.ts";
import type { PersonActor } from "./organizations.ts";
import { readExpiry } from "./read-expiry.ts";
import type { ManagementToken } from "./sign-in-records.ts";
import type { AccountStores } from "./store.ts";

/** Of one person in one organization. */
const TOKENS_MAX = 50;
/** As of sessions: a write for each call would be too much for what it tells. */
const USED_EVERY_MS = 60_000;

interface TokenDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  /** Hashes with the pepper of keys, and counts what is guessed at. */
  readonly verifier: Pick<KeyVerifier, "hash" | "throttle">;
}

interface NewToken {
  readonly actor: PersonActor;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** The organization that it is for; null: the one that the call works in. */
  readonly named: string | null;
  readonly expiresAt: string | null | undefined;
}

/**
 * Tokens by which programs manage an organization on behalf of a person: with the role that the person has there at that
 * moment, and for some things only. Everything about them is read anew for each call, so that a token ends at once.
 */
export class ManagementTokens {
  constructor(private readonly deps: TokenDeps) {}

  async create({ actor, name, scopes, named, expiresAt }: NewToken) {
    const { stores, clock, verifier } = this.deps;
    const { organization } = await activeOrganization(stores, actor.caller, named, "viewer");
    const value = newToken();
    const now = clock.nowMs();
    const token: ManagementToken = {
      id: newId(),
      userId: actor.caller.userId,
      organizationId: organization.id,
      name: cleanName(name),
      hash: verifier.hash(value),
      last4: lastFour(value),
      scopes: [...new Set(scopes)],
      expiresAt: typeof expiresAt === "string" ? readExpiry(expiresAt, now) : null,
      lastUsedAt: null,
      createdAt: now,
    };
    await change(
      stores,
      clock,
      actor,
      async (tx) => {
        // The person first, as where they are removed from the installation.
        await lockSignedIn(tx, actor.caller, now);
        // The organization is held meanwhile: whoever leaves it now leaves no token behind, and the count is right.
        await lockOrganization(tx, organization.id, now);
        await requireOrganization(tx, actor.caller, organization.id, "viewer");
        const own = await tx.managementTokens.listOf(token.userId);
        if (own.filter((one) => one.organizationId === organization.id).length >= TOKENS_MAX) {
          throw new GatewayError("conflict", `A person has at most ${TOKENS_MAX} tokens in an organization.`);
        }
        await tx.managementTokens.insert(token);
      },
      () => noteOf("management_token.create", token),
    );
    return { token, value };
  }

  /** One's own, the newest first. */
  list({ userId }: SessionCaller): Promise<readonly ManagementToken[]> {
    return this.deps.stores.managementTokens.listOf(userId);
  }

  async remove(actor: PersonActor, id: string): Promise<void> {
    const { stores, clock } = this.deps;
    await change(
      stores,
      clock,
      actor,
      async (tx) => {
        const removed = await tx.managementTokens.remove(actor.caller.userId, id);
        if (!removed) throw new GatewayError("not_found", "There is no such token.");
        return removed;
      },
      (removed) => noteOf("management_token.remove", removed),
    );
  }

  /** The person behind a token, who reaches its organization alone and runs no installation. */
  async verify(value: string, peer: Peer): Promise<SessionCaller> {
    const { stores, clock, verifier } = this.deps;
    const hash = verifier.hash(value);
    const token = isPlausibleToken(value) ? await stores.managementTokens.findByHash(hash) : null;
    if (!token) throw verifier.throttle.refusal(hash, peer.remoteAddress, "token");
    const now = clock.nowMs();
    if (token.expiresAt !== null && token.expiresAt <= now) {
      throw new GatewayError("authentication", "This token has expired.");
    }
    const [user, organization] = await Promise.all([
      stores.users.find(token.userId),
      stores.organizations.find(token.organizationId),
    ]);
    if (user?.status !== "active") throw new GatewayError("authentication", "The account of this token is disabled.");
    requireAllowed(organization?.allowedIps ?? [], peer);
    if (now - (token.lastUsedAt ?? 0) > USED_EVERY_MS) await stores.managementTokens.used(token.id, now);
    return {
      kind: "session",
      sessionId: token.id,
      userId: user.id,
      email: user.email,
      emailVerified: user.emailVerifiedAt !== null,
      name: user.name,
      role: "user",
      organizationId: token.organizationId,
      token: { id: token.id, scopes: token.scopes, ofAdministrator: user.role === "admin" },
    };
  }
}

function requireAllowed(allowed: readonly string[], { remoteAddress }: Peer): void {
  if (allowed.length === 0 || compileRanges(allowed).has(remoteAddress ?? "")) return;
  throw new GatewayError("permission", "The tokens of this organization may not be used from your address.");
}

const noteOf = (action: string, { id, organizationId, name, scopes }: ManagementToken) => ({
  action,
  organizationId,
  targetType: "management_token",
  targetId: id,
  details: { name, scopes },
});
