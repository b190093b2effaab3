import { GatewayError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json.ts";
import { seal, unseal } from "../../lib/seal.ts";
import type { Authority } from "../authority.ts";
import { change } from "../change.ts";
import type { LetterThrottle } from "../letter-throttle.ts";
import { lockOrganization } from "../lock-organization.ts";
import type { Organization } from "../records.ts";
import type { AccountStores } from "../store.ts";

const LINK_MS = 7 * 24 * 60 * 60 * 1000;
const USE = "billing address";

export interface BillingAddressDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  readonly sealingKey: Uint8Array;
  readonly isMailed: () => boolean;
  readonly throttle: LetterThrottle;
}

type Address = Pick<Organization, "billingEmail" | "billingEmailVerifiedAt">;

/** Keeps alerts of an organization from an address until its reader has agreed to receive them. */
export class BillingAddresses {
  constructor(private readonly deps: BillingAddressDeps) {}

  /** In the transaction that sets the address. To set an unconfirmed address again sends another link. */
  async set(
    tx: AccountStores,
    authority: Authority,
    before: Address & Pick<Organization, "id">,
    billingEmail: string | null,
  ): Promise<Address> {
    const { billingEmailVerifiedAt } = before;
    if (billingEmail === null) return { billingEmail, billingEmailVerifiedAt: null };
    if (billingEmail === before.billingEmail && billingEmailVerifiedAt !== null) {
      return { billingEmail, billingEmailVerifiedAt };
    }
    const now = this.deps.clock.nowMs();
    const isPerson = authority.kind === "session";
    if (isPerson && authority.emailVerified && authority.email === billingEmail) {
      return { billingEmail, billingEmailVerifiedAt: now };
    }
    if (this.deps.isMailed()) {
      if (isPerson) this.deps.throttle.admitInvitation(billingEmail, authority.userId);
      const payload = { organizationId: before.id };
      await tx.outbox.insert({ topic: "mail.billing_address", payload, createdAt: now });
    }
    return { billingEmail, billingEmailVerifiedAt: null };
  }

  /** Null if there is nothing to confirm any more. */
  async prepareEmail(id: string): Promise<{ to: string; token: string; expiresAt: number } | null> {
    const { stores, clock, sealingKey } = this.deps;
    const organization = await stores.organizations.find(id);
    if (!organization?.billingEmail || organization.billingEmailVerifiedAt !== null) return null;
    const { billingEmail: to } = organization;
    const expiresAt = clock.nowMs() + LINK_MS;
    return { to, expiresAt, token: seal(sealingKey, USE, JSON.stringify({ id, email: to, expiresAt })) };
  }

  /** The token shows that its sender read the email. It opens nothing else, so no session is needed. */
  async confirm(token: string, address: string | null): Promise<void> {
    const { stores, clock } = this.deps;
    const { id, email, expiresAt } = this.open(token);
    const now = clock.nowMs();
    if (expiresAt <= now) throw endedLink();
    await change(
      stores,
      clock,
      { caller: null, address },
      async (tx) => {
        if (!(await tx.organizations.find(id))) throw endedLink();
        await lockOrganization(tx, id, now);
        const organization = await tx.organizations.find(id);
        if (organization?.billingEmail !== email) throw endedLink();
        if (organization.billingEmailVerifiedAt !== null) return false;
        await tx.organizations.update(id, { billingEmailVerifiedAt: now });
        return true;
      },
      (isNew) =>
        isNew
          ? {
              action: "organization.confirm_billing_address",
              organizationId: id,
              targetType: "organization",
              targetId: id,
              details: { billingEmail: email },
            }
          : null,
    );
  }

  private open(token: string): { readonly id: string; readonly email: string; readonly expiresAt: number } {
    try {
      const read: unknown = JSON.parse(unseal(this.deps.sealingKey, USE, token));
      if (isRecord(read)) return { id: String(read.id), email: String(read.email), expiresAt: Number(read.expiresAt) };
    } catch {
      // A link of another server does not open either.
    }
    throw endedLink();
  }
}

const endedLink = (): GatewayError =>
  new GatewayError("not_found", "This link has expired, or the organization has another billing address now.");
