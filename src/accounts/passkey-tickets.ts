import { isIP } from "node:net";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { seal, unseal } from "../lib/seal.ts";
import type { AccountStores } from "./store.ts";

/** People look for their phone; a challenge that nobody answers for so long is over. */
export const TICKET_MS = 5 * 60 * 1000;

/** Where a passkey is good. */
export interface PasskeyPlace {
  /** Of the pages that may ask for it. */
  readonly origin: string;
  /** What WebAuthn calls the relying party: the host's name. */
  readonly rpId: string;
}

/** What has to be remembered until the device has answered; the browser keeps it, sealed. */
export interface PasskeyTicket extends PasskeyPlace {
  readonly challenge: string;
  readonly endsAtMs: number;
}

export interface PasskeyTicketDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  readonly sealingKey: Uint8Array;
}

/**
 * Challenges for devices. Nothing is stored when one is given, so that nobody can fill the database by asking; that one was
 * answered is, so that it is good for one answer, whichever process it comes to.
 */
export class PasskeyTickets {
  constructor(private readonly deps: PasskeyTicketDeps) {}

  /** `use` says what it is for and whose it is: it opens for nothing and nobody else. */
  make(use: string, { origin, rpId }: PasskeyPlace, challenge: string): string {
    const ticket: PasskeyTicket = { origin, rpId, challenge, endsAtMs: this.deps.clock.nowMs() + TICKET_MS };
    return seal(this.deps.sealingKey, use, JSON.stringify(ticket));
  }

  /** Good once, for a right answer or a wrong one, and only at the place that it was made for. */
  async spend(use: string, sealed: string | null, place: PasskeyPlace): Promise<PasskeyTicket> {
    const { stores, clock } = this.deps;
    const ticket = this.open(use, sealed);
    const now = clock.nowMs();
    if (ticket.endsAtMs <= now || ticket.origin !== place.origin || ticket.rpId !== place.rpId) throw beginAgain();
    // The clock of another process may be behind: there a ticket that is over here is good for a moment still.
    await stores.spentChallenges.removeOver(now - TICKET_MS);
    if (!(await stores.spentChallenges.spend(ticket.challenge, ticket.endsAtMs))) throw beginAgain();
    return ticket;
  }

  private open(use: string, sealed: string | null): PasskeyTicket {
    if (sealed === null) throw beginAgain();
    try {
      return JSON.parse(unseal(this.deps.sealingKey, use, sealed)) as PasskeyTicket;
    } catch {
      throw beginAgain();
    }
  }
}

/** Browsers keep passkeys by the name of a host, never by a number. */
export function placeOf(address: string): PasskeyPlace {
  const { origin, hostname } = new URL(address);
  if (isIP(hostname) === 0 && !hostname.startsWith("[")) return { origin, rpId: hostname };
  throw new GatewayError(
    "conflict",
    `Passkeys need an address with a name, and this one is ${hostname}: use http://localhost on the server's own machine, or set public_url.`,
  );
}

const beginAgain = (): GatewayError =>
  new GatewayError(
    "conflict",
    "The passkey was asked for elsewhere, too long ago, or is answered already; begin again.",
  );
