import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { newId, randomBase62 } from "../lib/ids.ts";
import { seal, unseal } from "../lib/seal.ts";
import { type ChangeNote, change } from "./change.ts";
import { lockUser } from "./end-sign-ins.ts";
import { isEmail } from "./new-person.ts";
import type { OidcClaims, OidcIssuer } from "./oidc-issuer.ts";
import type { User } from "./records.ts";
import type { RefusedSignIns } from "./refused-sign-ins.ts";
import type { IssuedToken } from "./session-tokens.ts";
import type { Device, Sessions } from "./sessions.ts";
import { createOrganization } from "./sign-up.ts";
import type { AccountStores } from "./store.ts";
import { takeOver } from "./take-over.ts";

const TICKET_MS = 10 * 60 * 1000;
const TICKET_USE = "oidc";
const NAME_CHARS_MAX = 100;
const EMAIL_CHARS_MAX = 254;

export interface SingleSignOnDeps {
  readonly stores: AccountStores;
  readonly sessions: Sessions;
  readonly refused: RefusedSignIns;
  readonly clock: Clock;
  readonly sealingKey: Uint8Array;
  /** Null when none is set up. A configuration that is read again may have another one. */
  readonly issuer: () => OidcIssuer | null;
}

/** What has to be remembered between leaving for the issuer and coming back; the browser keeps it, sealed. */
interface Ticket {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly returnTo: string;
  readonly endsAtMs: number;
}

/** Sign-in with an account that an issuer of OpenID Connect knows. */
export class SingleSignOn {
  constructor(private readonly deps: SingleSignOnDeps) {}

  /** How people call it; null when there is none. */
  get name(): string | null {
    return this.deps.issuer()?.settings.name ?? null;
  }

  async begin(redirectUri: string, returnTo: string): Promise<{ readonly url: URL; readonly ticket: string }> {
    const issuer = this.issuer();
    const checks = { state: randomBase62(43), nonce: randomBase62(43), verifier: randomBase62(64) };
    const url = await issuer.authorizationUrl(redirectUri, checks);
    const endsAtMs = this.deps.clock.nowMs() + TICKET_MS;
    const ticket: Ticket = { ...checks, issuer: issuer.settings.issuer, redirectUri, returnTo, endsAtMs };
    return { url, ticket: seal(this.deps.sealingKey, TICKET_USE, JSON.stringify(ticket)) };
  }

  /** `query` is what the browser came back with; `sealed` is what it was given when it left. */
  async finish(
    sealed: string | null,
    query: string,
    device: Device,
  ): Promise<{ readonly issued: IssuedToken; readonly returnTo: string }> {
    const issuer = this.issuer();
    const ticket = this.open(sealed);
    if (ticket.issuer !== issuer.settings.issuer || ticket.endsAtMs <= this.deps.clock.nowMs()) throw beginAgain();
    let userId: number | null = null;
    try {
      const claims = await issuer.identify(new URL(ticket.redirectUri + query), ticket);
      const { id } = await this.userOf(claims, issuer, device);
      userId = id;
      return { issued: await this.openFor(id, device), returnTo: ticket.returnTo };
    } catch (thrown) {
      await this.noteRefusal(thrown, userId, device);
      throw thrown;
    }
  }

  /** Only what the person is told too: an issuer that cannot be reached has refused nobody. */
  private async noteRefusal(thrown: unknown, userId: number | null, { address }: Device): Promise<void> {
    if (!(thrown instanceof GatewayError) || !["authentication", "permission"].includes(thrown.kind)) return;
    await this.deps.refused.note({ way: "single_sign_on", reason: thrown.message, userId, address });
  }

  private openFor(userId: number, device: Device): Promise<IssuedToken> {
    const { stores, sessions, clock } = this.deps;
    return stores.transaction(async (tx) => {
      // Holds back an administrator who shuts the person out, which must find this session too.
      await tx.users.update(userId, { lastLoginAt: clock.nowMs() });
      const user = await tx.users.find(userId);
      if (user?.status === "active") return sessions.open(tx, user, device, "single_sign_on");
      throw new GatewayError("permission", "Your account is disabled; ask an administrator.");
    });
  }

  private issuer(): OidcIssuer {
    const issuer = this.deps.issuer();
    if (!issuer) throw new GatewayError("not_found", "Single sign-on is not set up here.");
    return issuer;
  }

  private open(sealed: string | null): Ticket {
    if (sealed === null) throw beginAgain();
    try {
      return JSON.parse(unseal(this.deps.sealingKey, TICKET_USE, sealed)) as Ticket;
    } catch {
      throw beginAgain();
    }
  }

  private async userOf(claims: OidcClaims, issuer: OidcIssuer, device: Device): Promise<User> {
    requireDomain(claims, issuer);
    const known = await this.linked(claims);
    if (known) return known;
    const email = requireVerifiedEmail(claims);
    try {
      return await this.linkOrCreate(claims, email, issuer, device);
    } catch (thrown) {
      // The same person signs in twice at once: the other one was first, and took the row or has the account already.
      if (!(thrown instanceof GatewayError) || !["conflict", "permission"].includes(thrown.kind)) throw thrown;
      const linked = await this.linked(claims);
      if (!linked) throw thrown;
      return linked;
    }
  }

  private async linked({ issuer, subject, email }: OidcClaims): Promise<User | null> {
    const { stores, clock } = this.deps;
    const identity = await stores.identities.find(issuer, subject);
    if (!identity) return null;
    await stores.identities.update(identity.id, { lastLoginAt: clock.nowMs(), ...(email === null ? {} : { email }) });
    return stores.users.find(identity.userId);
  }

  private async linkOrCreate(claims: OidcClaims, email: string, issuer: OidcIssuer, device: Device): Promise<User> {
    const { stores, clock } = this.deps;
    const { user } = await change(
      stores,
      clock,
      { caller: null, address: device.address },
      async (tx) => {
        const now = clock.nowMs();
        const existing = await lockByEmail(tx, email, now);
        if (!existing && !issuer.settings.allowSignUp) {
          throw new GatewayError("permission", "There is no account with your e-mail here; ask an administrator.");
        }
        if (existing) await requireUnlinked(tx, existing, claims);
        const user = existing ? await takeOver(tx, existing, now) : await create(tx, claims, email, issuer, now);
        const identity = { issuer: claims.issuer, subject: claims.subject, userId: user.id, email };
        await tx.identities.insert({ id: newId(), ...identity, createdAt: now, lastLoginAt: now });
        return { user, action: existing ? "user.link_identity" : "user.sign_up" };
      },
      ({ user: { id }, action }) => noteOf(action, id, claims),
    );
    return user;
  }
}

/** Whoever has the address, held: of two who come with it at once, the second sees what the first has linked. */
async function lockByEmail(tx: AccountStores, email: string, now: number): Promise<User | null> {
  const seen = await tx.users.findByEmail(email);
  if (!seen) return null;
  await lockUser(tx, seen.id, now);
  return tx.users.findByEmail(email);
}

/** An address that the issuer has given to somebody else must not give them the account of who had it before. */
async function requireUnlinked(tx: AccountStores, { id }: User, { issuer }: OidcClaims): Promise<void> {
  const identities = await tx.identities.listOf(id);
  if (!identities.some((identity) => identity.issuer === issuer)) return;
  throw new GatewayError(
    "permission",
    "The account with your e-mail belongs to another sign-in; ask an administrator.",
  );
}

async function create(
  tx: AccountStores,
  claims: OidcClaims,
  email: string,
  { settings }: OidcIssuer,
  now: number,
): Promise<User> {
  const name = (claims.name ?? email.split("@")[0] ?? email).trim().slice(0, NAME_CHARS_MAX);
  const user = await tx.users.insert({
    email,
    name,
    role: "user",
    status: "active",
    passwordHash: null,
    emailVerifiedAt: now,
    lastLoginAt: now,
    createdAt: now,
    updatedAt: now,
  });
  const { organizationId } = settings;
  if (organizationId === null) {
    await createOrganization(tx, user.id, `${name}'s organization`, now);
    return user;
  }
  if (!(await tx.organizations.find(organizationId))) {
    throw new GatewayError("internal", "The organization that new people join does not exist; tell the administrator.");
  }
  await tx.organizationMembers.insert({ organizationId, userId: user.id, role: "member", joinedAt: now });
  return user;
}

/** Anybody can say that they have an address: only one that was verified is of a domain. */
function requireDomain({ email, emailVerified }: OidcClaims, { settings }: OidcIssuer): void {
  if (settings.allowedDomains.length === 0) return;
  const domain = emailVerified ? email?.toLowerCase().split("@").pop() : undefined;
  if (domain === undefined || !settings.allowedDomains.includes(domain)) {
    throw new GatewayError("permission", "You have no verified e-mail address of a domain that may sign in here.");
  }
}

function requireVerifiedEmail({ email, emailVerified }: OidcClaims): string {
  const address = email?.toLowerCase() ?? "";
  if (emailVerified && address.length <= EMAIL_CHARS_MAX && isEmail(address)) return address;
  throw new GatewayError(
    "permission",
    "Your e-mail address has not been verified by the service that you signed in with, so that no account can be found by it.",
  );
}

const beginAgain = (): GatewayError =>
  new GatewayError("authentication", "The sign-in was begun elsewhere or too long ago; begin again.");

const noteOf = (action: string, userId: number, { issuer, subject }: OidcClaims): ChangeNote => ({
  action,
  organizationId: null,
  targetType: "user",
  targetId: String(userId),
  details: { issuer, subject },
});
