import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { accountNote, type IssuedLink, issueLink, requireLink, useLink } from "./account-links.ts";
import { change } from "./change.ts";
import { lockSignedIn } from "./end-sign-ins.ts";
import type { LetterThrottle } from "./letter-throttle.ts";
import type { User } from "./records.ts";
import type { AccountStores } from "./store.ts";

export interface EmailVerificationDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  readonly isMailed: () => boolean;
  readonly throttle: LetterThrottle;
}

/** Showing that mail to an address reaches the person. */
export class EmailVerification {
  constructor(private readonly deps: EmailVerificationDeps) {}

  isPossible(): boolean {
    return this.deps.isMailed();
  }

  /** In the transaction that makes the account. Without mail there is nothing to show it by. */
  async begin(tx: AccountStores, { id: userId }: User, now: number): Promise<void> {
    if (!this.deps.isMailed()) return;
    await tx.outbox.insert({ topic: "mail.verify_email", payload: { userId }, createdAt: now });
  }

  /** Another letter; nothing where the address is verified already. */
  async resend(caller: SessionCaller, address: string | null): Promise<void> {
    const { stores, clock, isMailed, throttle } = this.deps;
    if (caller.emailVerified) return;
    if (!isMailed()) throw new GatewayError("conflict", "No mail is sent from here, so no address can be verified.");
    throttle.admit(caller.email, address);
    const payload = { userId: caller.userId };
    await stores.outbox.insert({ topic: "mail.verify_email", payload, createdAt: clock.nowMs() });
  }

  /** Null when there is nothing to verify any more. */
  async prepareLetter(userId: number): Promise<(IssuedLink & { readonly user: User }) | null> {
    const { stores, clock } = this.deps;
    const user = await stores.users.find(userId);
    if (user?.status !== "active" || user.emailVerifiedAt !== null) return null;
    const link = await change(
      stores,
      clock,
      { caller: null, address: null },
      (tx) => issueLink(tx, user, "vfy", clock.nowMs()),
      () => accountNote("user.mail_verification", user),
    );
    return { user, ...link };
  }

  /**
   * Who reads the letter must also be logged in to the account: whoever signed up with somebody else's address would otherwise
   * have it verified by its owner, who presses the button of a letter that they never asked for.
   */
  async confirm(caller: SessionCaller, token: string, address: string | null): Promise<void> {
    const { stores, clock } = this.deps;
    await change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        const now = clock.nowMs();
        await lockSignedIn(tx, caller, now);
        const { link, user } = await requireLink(tx, token, "verify_email", now);
        if (user.id !== caller.userId) {
          throw new GatewayError(
            "permission",
            "This link is for another account than the one that you are logged in to.",
          );
        }
        await useLink(tx, link);
        await tx.users.update(user.id, { emailVerifiedAt: now, updatedAt: now });
        return user;
      },
      (user) => accountNote("user.verify_email", user),
    );
  }
}
