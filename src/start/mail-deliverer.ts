import type { EmailVerification } from "../accounts/email-verification.ts";
import type { Invitations } from "../accounts/invitations.ts";
import type { BillingAddresses } from "../accounts/organizations/billing-addresses.ts";
import type { Passkeys } from "../accounts/passkeys.ts";
import type { PasswordResets } from "../accounts/password-resets.ts";
import {
  billingAddressEmail,
  invitationLetter,
  passkeyLetter,
  passwordResetLetter,
  verifyEmailLetter,
} from "../mail/letters.ts";
import type { Letter, Mailer } from "../mail/mailer.ts";
import { type Deliverer, Undeliverable } from "../outbox/outbox.ts";
import type { OutboxMessage } from "../outbox/store.ts";
import { sendLetter } from "./send-letter.ts";

export interface MailDelivererDeps {
  readonly mailer: Mailer;
  /** Where people reach us, without a slash at the end. */
  readonly publicUrl: () => string;
  readonly invitations: Invitations;
  readonly passwordResets: PasswordResets;
  readonly verification: EmailVerification;
  readonly passkeys: Passkeys;
  readonly billingAddresses: BillingAddresses;
}

/** Writes a letter of what its message names, as that is now, and sends it. What has become pointless is not sent. */
export function mailDeliverer(deps: MailDelivererDeps): Deliverer {
  const { mailer, publicUrl, invitations, passwordResets, verification, passkeys, billingAddresses } = deps;
  const writers: Readonly<Record<string, (message: OutboxMessage) => Promise<Letter | null>>> = {
    async "mail.invitation"({ payload }) {
      const content = await invitations.prepareLetter(String(payload.invitationId));
      if (!content) return null;
      const { invitation, teamName, organizationName, invitedByName, token } = content;
      const names = { teamName, organizationName, invitedBy: invitedByName };
      return invitationLetter({
        to: invitation.email,
        publicUrl: publicUrl(),
        token,
        expiresAt: invitation.expiresAt,
        ...names,
      });
    },
    async "mail.password_reset"({ payload }) {
      const content = await passwordResets.prepareLetter(String(payload.email));
      return content && passwordResetLetter({ to: content.user.email, publicUrl: publicUrl(), ...content });
    },
    async "mail.verify_email"({ payload }) {
      const content = await verification.prepareLetter(Number(payload.userId));
      return content && verifyEmailLetter({ to: content.user.email, publicUrl: publicUrl(), ...content });
    },
    async "mail.billing_address"({ payload }) {
      const content = await billingAddresses.prepareEmail(String(payload.organizationId));
      return content && billingAddressEmail({ publicUrl: publicUrl(), ...content });
    },
    async "mail.passkey"({ payload }) {
      const reader = await passkeys.readerOf(Number(payload.userId));
      if (!reader) return null;
      const name = payload.name === null ? null : String(payload.name);
      const isAdded = payload.change === "added";
      return passkeyLetter({ to: reader.email, publicUrl: publicUrl(), isAdded, name, at: Number(payload.at) });
    },
  };
  return async (message) => {
    const write = writers[message.topic];
    if (!write) throw new Undeliverable(`there is no letter for ${message.topic}`);
    if (!mailer.isConfigured) throw new Error("no mail server is configured");
    const letter = await write(message);
    if (letter) await sendLetter(mailer, letter);
  };
}
