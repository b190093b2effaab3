import type { AdminCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import {
  type AccountLinkKind,
  accountNote,
  type IssuedLink,
  issueLink,
  requireLink,
  useLink,
} from "./account-links.ts";
import { type Actor, change } from "./change.ts";
import { endSignIns, lockUser } from "./end-sign-ins.ts";
import type { LetterThrottle } from "./letter-throttle.ts";
import { isOfKind } from "./link-secret.ts";
import { cleanEmail } from "./new-person.ts";
import { checkPassword } from "./password-rules.ts";
import type { Passwords } from "./passwords.ts";
import type { User } from "./records.ts";
import type { AccountStores } from "./store.ts";
import { takeOver } from "./take-over.ts";

export interface PasswordResetDeps {
  readonly stores: AccountStores;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly isMailed: () => boolean;
  readonly throttle: LetterThrottle;
}

/** A new password for somebody who has lost theirs: by mail, or by a link that an administrator hands over. */
export class PasswordResets {
  constructor(private readonly deps: PasswordResetDeps) {}

  /**
   * Whether anybody has the address is looked up when the letter is written, not here: the answer and its time are the same
   * for everybody. Gives where help comes from.
   */
  async request(email: string, address: string | null): Promise<"mail" | "administrator"> {
    const { stores, clock, isMailed, throttle } = this.deps;
    const to = cleanEmail(email);
    if (!isMailed()) return "administrator";
    throttle.admit(to, address);
    await stores.outbox.insert({ topic: "mail.password_reset", payload: { email: to }, createdAt: clock.nowMs() });
    return "mail";
  }

  /** Null when nobody has the address. */
  async prepareLetter(email: string): Promise<(IssuedLink & { readonly user: User }) | null> {
    const user = await this.deps.stores.users.findByEmail(email);
    if (user?.status !== "active") return null;
    const system = { caller: null, address: null };
    return { user, ...(await this.issue(system, user, "rsm", "user.mail_password_reset")) };
  }

  /** By an administrator of the installation. */
  async makeLink(caller: AdminCaller, userId: number, address: string | null): Promise<IssuedLink> {
    const user = await this.deps.stores.users.find(userId);
    if (!user) throw new GatewayError("not_found", "There is no such user.");
    if (user.status !== "active") throw new GatewayError("conflict", "The user is disabled. Enable the user first.");
    if (user.email === "") throw new GatewayError("conflict", "The user has no sign-in. Add an email address first.");
    return this.issue({ caller, address }, user, "rst", "user.make_password_link");
  }

  /**
   * The person is logged out everywhere: whoever knew the old password may be logged in. Whoever reads the mail of an address that
   * was never shown to be anybody's takes the account over.
   */
  async reset(token: string, password: string, address: string | null): Promise<void> {
    const { stores, passwords, clock } = this.deps;
    const { user } = await requireLink(stores, token, "password_reset", clock.nowMs());
    checkPassword(password, user.email);
    const passwordHash = await passwords.hash(password);
    await change(
      stores,
      clock,
      { caller: null, address },
      async (tx) => {
        const now = clock.nowMs();
        // Before their links, as everybody else does it: in the other order two would wait for each other.
        await lockUser(tx, user.id, now);
        const { link, user: held } = await requireLink(tx, token, "password_reset", now);
        await useLink(tx, link);
        const verifiesEmail = isOfKind(token, "rsm") && held.emailVerifiedAt === null;
        if (verifiesEmail) await takeOver(tx, held, now);
        await tx.users.update(user.id, { passwordHash, updatedAt: now });
        await endSignIns(tx, user.id, now);
        return verifiesEmail ? { details: { verifiesEmail } } : {};
      },
      (more) => ({ ...accountNote("user.reset_password", user), ...more }),
    );
  }

  private issue(actor: Actor, user: User, kind: AccountLinkKind, action: string): Promise<IssuedLink> {
    const { stores, clock } = this.deps;
    return change(
      stores,
      clock,
      actor,
      (tx) => issueLink(tx, user, kind, clock.nowMs()),
      () => accountNote(action, user),
    );
  }
}
