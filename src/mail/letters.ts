import { oneLine, writeLetter } from "./letter.ts";
import type { Letter } from "./mailer.ts";

/** Where the pages that links lead to are, below the address at which people reach us. */
const LINK_PATHS = {
  invitation: "/ui/invitation",
  passwordReset: "/ui/reset-password",
  verifyEmail: "/ui/verify-email",
  billingAddress: "/billing-address",
} as const;

export const linkTo = (publicUrl: string, page: keyof typeof LINK_PATHS, token: string): string =>
  `${publicUrl}${LINK_PATHS[page]}?token=${encodeURIComponent(token)}`;

interface Link {
  readonly to: string;
  readonly publicUrl: string;
  readonly token: string;
  readonly expiresAt: number;
}

export interface InvitationLetter extends Link {
  readonly invitedBy: string | null;
  readonly organizationName: string;
  readonly teamName: string;
}

export function invitationLetter({ to, publicUrl, token, expiresAt, ...names }: InvitationLetter): Letter {
  const [organization, team] = [oneLine(names.organizationName), oneLine(names.teamName)];
  const who = names.invitedBy === null ? "You are invited" : `${oneLine(names.invitedBy)} invites you`;
  return writeLetter({
    to,
    subject: `Invitation to ${organization}`,
    paragraphs: ["Hello,", `${who} to join the team "${team}" of "${organization}" on Turnpike, as ${to}.`],
    action: { label: "Accept the invitation", url: linkTo(publicUrl, "invitation", token) },
    commands: [
      `turnpike signup --url ${publicUrl} --email ${to} --invitation ${token}`,
      `turnpike invitations accept ${token}    (if you have an account and are signed in)`,
    ],
    closing: `The link works once, until ${untilText(expiresAt)}. If you expected no invitation, leave it alone and nothing happens.`,
  });
}

export function passwordResetLetter({ to, publicUrl, token, expiresAt }: Link): Letter {
  return writeLetter({
    to,
    subject: "A new password for Turnpike",
    paragraphs: ["Hello,", `somebody asked for a new password for ${to}.`],
    action: { label: "Choose a new password", url: linkTo(publicUrl, "passwordReset", token) },
    commands: [`turnpike password reset --url ${publicUrl} ${token}`],
    closing: `The link works once, until ${untilText(expiresAt)}. If it was not you, leave it alone: your password stays as it is.`,
  });
}

export function verifyEmailLetter({ to, publicUrl, token, expiresAt }: Link): Letter {
  return writeLetter({
    to,
    subject: "Is this your e-mail address?",
    paragraphs: [
      "Hello,",
      `an account at Turnpike was made with the address ${to}. Was it you? Then follow the link; where you are not logged in, you are asked to log in first.`,
    ],
    action: { label: "Yes, this is my address", url: linkTo(publicUrl, "verifyEmail", token) },
    commands: [`turnpike verify-email --url ${publicUrl} ${token}`],
    closing: `The link works until ${untilText(expiresAt)}. If it was not you, leave it alone.`,
  });
}

/** Without the name of the organization: a stranger who enters an address must not choose the words of this email. */
export function billingAddressEmail({ to, publicUrl, token, expiresAt }: Link): Letter {
  return writeLetter({
    to,
    subject: "Confirm this billing address",
    paragraphs: ["Hello,", `an organization at ${publicUrl} asks to send alerts about its credit to ${to}.`],
    action: { label: "Confirm the address", url: linkTo(publicUrl, "billingAddress", token) },
    commands: [],
    closing: `The link works until ${untilText(expiresAt)}. If you do not expect such alerts, ignore this email.`,
  });
}

export interface PasskeyLetter {
  readonly to: string;
  readonly publicUrl: string;
  readonly isAdded: boolean;
  /** Null: all that there were, by an administrator. */
  readonly name: string | null;
  readonly at: number;
}

export function passkeyLetter({ to, publicUrl, isAdded, name, at }: PasskeyLetter): Letter {
  const what = name === null ? "all passkeys were" : `the passkey "${oneLine(name)}" was`;
  const happened = `${isAdded ? "added to" : "removed from"} the account ${to}${name === null ? " by an administrator" : ""}`;
  const first = isAdded ? "remove the passkey there, " : "";
  return writeLetter({
    to,
    subject: isAdded ? "A new passkey for Turnpike" : "A passkey was removed from Turnpike",
    paragraphs: ["Hello,", `${what} ${happened}, on ${untilText(at)}.`],
    action: { label: "Look at your account", url: `${publicUrl}/ui/account` },
    commands: [],
    closing: `If it was not you, ${first}change your password and end the sessions that you do not know.`,
  });
}

/** The zone of the reader is not known. */
const untilText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
