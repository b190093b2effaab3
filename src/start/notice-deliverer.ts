import type { AccountStores } from "../accounts/store.ts";
import { formatUsd } from "../contract/money.ts";
import { writeLetter } from "../mail/letter.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type Deliverer, Undeliverable } from "../outbox/outbox.ts";

interface Words {
  readonly subject: string;
  readonly paragraph: string;
}

/** `notice.<type>`: what an organization should know of its credit, by mail to its billing address or its owner. */
export const noticeDeliverer =
  (accounts: AccountStores, mailer: Mailer, publicUrl: string | null): Deliverer =>
  async ({ payload }) => {
    // Without a mail server the webhooks and the pages have to do.
    if (!mailer.isConfigured) return;
    const organization = await accounts.organizations.find(String(payload.organizationId));
    if (!organization) return;
    const owner = await accounts.users.find(organization.ownerId);
    const to = organization.billingEmail ?? owner?.email;
    if (!to) return;
    const words = WORDS[String(payload.type)];
    if (!words) throw new Undeliverable(`there are no words for ${payload.type}`);
    const { subject, paragraph } = words((payload.data ?? {}) as Readonly<Record<string, unknown>>);
    await mailer.send(
      writeLetter({
        to,
        subject: `${subject}: ${organization.name}`,
        paragraphs: ["Hello,", paragraph],
        action: { label: "See the balance and buy credits", url: `${publicUrl ?? ""}/ui/billing` },
        commands: ["turnpike balance", "turnpike credits buy 20"],
        closing: `You get this because you look after the credit of "${organization.name}".`,
      }),
    );
  };

const usd = (nano: unknown): string => `${formatUsd(BigInt(String(nano ?? 0)))} USD`;

const WORDS: Readonly<Record<string, (data: Readonly<Record<string, unknown>>) => Words>> = {
  "balance.low": ({ balance, threshold }) => ({
    subject: "Credit is running low",
    paragraph: `the balance is ${usd(balance)}, below the ${usd(threshold)} at which you want to be told.`,
  }),
  "balance.depleted": ({ balance }) => ({
    subject: "No credit is left",
    paragraph: `the balance is ${usd(balance)}. Calls that cost something are refused until credit is added.`,
  }),
  "auto_top_up.failed": ({ reason }) => ({
    subject: "The balance could not be topped up",
    paragraph: `the saved means of payment was charged without success (${reason}). It is tried again later.`,
  }),
  "auto_top_up.disabled": ({ reason }) => ({
    subject: "Topping up is switched off",
    paragraph: `the saved means of payment was declined three times in a row (${reason}), so it is not tried again.`,
  }),
};
