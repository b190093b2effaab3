import { removedEmail } from "../accounts/new-person.ts";
import type { User } from "../accounts/records.ts";
import type { AccountStores } from "../accounts/store.ts";
import { DECLINES_MAX } from "../billing/end-top-up.ts";
import { formatUsd } from "../contract/money.ts";
import { writeLetter } from "../mail/letter.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type Deliverer, Undeliverable } from "../outbox/outbox.ts";
import { sendLetter } from "./send-letter.ts";

interface Words {
  readonly subject: string;
  readonly paragraph: string;
  /** Where to go on; to the credit unless told. */
  readonly way?: Way;
}

interface Way {
  readonly label: string;
  readonly page: string;
  readonly commands: readonly string[];
}

const BILLING: Way = {
  label: "See the balance and buy credits",
  page: "billing",
  commands: ["turnpike balance", "turnpike credits buy 20"],
};
const KEYS: Way = { label: "See the keys", page: "keys", commands: ["turnpike keys list"] };
const pickUpWay = (keyId: unknown): Way => ({
  ...KEYS,
  label: "Pick up the new value",
  commands: [`turnpike keys pick-up ${keyId}`],
});
const USAGE: Way = { label: "See what was spent", page: "usage", commands: ["turnpike usage"] };

/** `notice.<type>`: what an organization should know of its credit, by mail to its billing address or its owner. */
export const noticeDeliverer =
  (accounts: AccountStores, mailer: Mailer, publicUrl: () => string): Deliverer =>
  async ({ payload }) => {
    // Without a mail server the webhooks and the pages have to do.
    if (!mailer.isConfigured) return;
    const reader = await readerOf(accounts, payload);
    if (!reader) return;
    const words = WORDS[String(payload.type)];
    if (!words) throw new Undeliverable(`there are no words for ${payload.type}`);
    const { subject, paragraph, way = BILLING } = words((payload.data ?? {}) as Readonly<Record<string, unknown>>);
    const { label, page, commands } = way;
    await sendLetter(
      mailer,
      writeLetter({
        to: reader.to,
        subject: `${subject}: ${reader.name}`,
        paragraphs: ["Hello,", paragraph],
        action: { label, url: `${publicUrl()}/ui/${page}` },
        commands,
        closing: reader.why,
      }),
    );
  };

interface Reader {
  readonly to: string;
  readonly name: string;
  readonly why: string;
}

/** Whoever looks after an organization's credit, or the one person that it is about. Null where nobody is left. */
async function readerOf(accounts: AccountStores, payload: Readonly<Record<string, unknown>>): Promise<Reader | null> {
  if (payload.userId !== undefined) {
    const user = await accounts.users.find(Number(payload.userId));
    const to = addressOf(user);
    return user && to !== null ? { to, name: user.name, why: "You get this because the budget is yours." } : null;
  }
  const organization = await accounts.organizations.find(String(payload.organizationId));
  if (!organization) return null;
  if (payload.readerId !== undefined) {
    const user = await accounts.users.find(Number(payload.readerId));
    const to = user?.status === "active" ? addressOf(user) : null;
    if (to !== null) {
      return { to, name: organization.name, why: "You get this because you made the key." };
    }
  }
  const owner = await accounts.users.find(organization.ownerId);
  const isVerified = organization.billingEmailVerifiedAt !== null;
  const to = (isVerified ? organization.billingEmail : null) ?? addressOf(owner);
  if (!to) return null;
  const { name } = organization;
  return { to, name, why: `You get this because you look after the credit of "${name}".` };
}

/** Removed users and records without sign-in have no address. */
const addressOf = (user: User | null): string | null =>
  user === null || user.email === "" || user.email === removedEmail(user.id) ? null : user.email;

const usd = (nano: unknown): string => `${formatUsd(BigInt(String(nano ?? 0)))} USD`;

const inWindow = (window: string): string =>
  window === "total" ? "" : /^\d/.test(window) ? ` in the current ${window}` : ` in this ${window}`;

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
  "auto_top_up.disabled": ({ reason, declines }) => ({
    subject: "Topping up is switched off",
    // A dispute and a refund switch it off, too, however often the card was declined before.
    paragraph:
      Number(declines) >= DECLINES_MAX
        ? `the saved means of payment was declined three times in a row (${reason}), so it is not tried again.`
        : `nothing is bought by itself any more. The reason: ${reason} Who wants it again switches it on again.`,
  }),
  "budget.threshold": ({ scope, name, kind, percent, spent, limit, window, resetsAt }) => {
    // Whatever share is told: who wants to hear of 80 % alone hears of it also where one call took all that was left.
    const isSpent = kind === "hard" && BigInt(String(spent)) >= BigInt(String(limit));
    const used = isSpent ? "A budget is spent" : `${percent} % of a budget is spent`;
    return {
      subject: kind === "soft" ? "A soft budget was passed" : used,
      paragraph:
        `the ${String(scope).replace("_", " ")} "${name}" has spent ${usd(spent)} of ${usd(limit)}${inWindow(String(window))}. ` +
        (isSpent
          ? `Its calls are refused ${resetsAt === null ? "until the budget is raised" : `until ${resetsAt}, or until the budget is raised`}.`
          : "Nothing is refused for that."),
      way: USAGE,
    };
  },
  "key.rotated": ({ keyId, name, previousValidUntil }) => ({
    subject: "A key has a new value",
    paragraph:
      `the key "${name}" was given a new value, as its schedule says. It is shown once, when it is picked up. ` +
      (previousValidUntil == null
        ? "The value before has ended."
        : `The value before goes on until ${previousValidUntil}; calls with it are refused from then on.`),
    way: pickUpWay(keyId),
  }),
  "key.expiring": ({ keyId, name, expiresAt, newValueSince }) =>
    newValueSince === undefined
      ? {
          subject: "A key is about to end",
          paragraph: `the key "${name}" ends at ${expiresAt}. Calls with it are refused from then on.`,
          way: KEYS,
        }
      : {
          subject: "A new value waits, and the old one is about to end",
          paragraph:
            `the key "${name}" has a new value since ${newValueSince}, and nobody has picked it up. The value before ends at ` +
            `${expiresAt}; calls with it are refused from then on.`,
          way: pickUpWay(keyId),
        },
};
