import type { AdminCaller, SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { NewCredential } from "../contract/passkeys.ts";
import { hmacBytes } from "../lib/hmac.ts";
import { newId } from "../lib/ids.ts";
import { type ChangeNote, change } from "./change.ts";
import { cleanName } from "./clean-name.ts";
import { lockSignedIn } from "./end-sign-ins.ts";
import type { LetterThrottle } from "./letter-throttle.ts";
import type { PersonActor } from "./organizations.ts";
import type { PasskeyPlace, PasskeyTickets } from "./passkey-tickets.ts";
import { type PresenceDeps, provePresence } from "./prove-presence.ts";
import type { User } from "./records.ts";
import type { Passkey } from "./sign-in-records.ts";
import type { AccountStores } from "./store.ts";
import type { Proof } from "./two-factor.ts";
import { creationOptions, verifyCreation } from "./webauthn.ts";

const PASSKEYS_MAX = 20;

export interface PasskeyDeps extends PresenceDeps {
  readonly tickets: PasskeyTickets;
  readonly codePepper: Uint8Array;
  readonly isMailed: () => boolean;
  /** Of passkeys that are added: each is told of, at an address that may be somebody else's. */
  readonly letters: LetterThrottle;
}

interface NewPasskey {
  /** As the browser has kept it. */
  readonly ticket: string | null;
  readonly name: string;
  readonly credential: NewCredential;
  readonly place: PasskeyPlace;
}

/** What a letter tells of. */
interface PasskeyNews {
  readonly change: "added" | "removed";
  /** Null: all that there were. */
  readonly name: string | null;
}

/** The passkeys of people: a device signs in for them, in place of a password and a code. */
export class Passkeys {
  constructor(private readonly deps: PasskeyDeps) {}

  /** One's own, the oldest first. */
  list({ userId }: SessionCaller): Promise<readonly Passkey[]> {
    return this.deps.stores.passkeys.listOf(userId);
  }

  countAmong(userIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.deps.stores.passkeys.countAmong(userIds);
  }

  /** What the browser is asked for. The ticket also says that the person was there; it goes into a cookie, and is good for them alone. */
  async begin({ caller, address }: PersonActor, proof: Proof, place: PasskeyPlace) {
    const { stores, tickets, codePepper } = this.deps;
    await provePresence(this.deps, caller, proof, address);
    const { userId, email, name } = caller;
    const present = await stores.passkeys.listOf(userId);
    requireRoom(present);
    const handle = handleOf(codePepper, userId);
    const options = await creationOptions(place, { handle, email, name, present });
    return { options, ticket: tickets.make(useOf(caller), place, options.challenge) };
  }

  async add(actor: PersonActor, { ticket: sealed, name, credential, place }: NewPasskey): Promise<Passkey> {
    const { stores, clock, tickets, isMailed, letters } = this.deps;
    const { caller } = actor;
    const clean = cleanName(name);
    const ticket = await tickets.spend(useOf(caller), sealed, place);
    const made = await verifyCreation(credential, ticket).catch((cause) => {
      throw new GatewayError("invalid_request", "The passkey is not what was asked for; begin again.", { cause });
    });
    if (isMailed()) letters.admit(caller.email, actor.address);
    const passkey: Passkey = {
      id: newId(),
      userId: caller.userId,
      ...made,
      rpId: ticket.rpId,
      transports: credential.response.transports ?? [],
      name: clean,
      createdAt: clock.nowMs(),
      lastUsedAt: null,
    };
    await change(
      stores,
      clock,
      actor,
      async (tx) => {
        await lockSignedIn(tx, caller, clock.nowMs());
        requireRoom(await tx.passkeys.listOf(caller.userId));
        if (await tx.passkeys.findByCredential(passkey.credentialId)) throw known();
        await tx.passkeys.insert(passkey);
        await this.tell(tx, caller.userId, { change: "added", name: clean });
      },
      () => noteOf("passkey.add", passkey),
    );
    return passkey;
  }

  rename(actor: PersonActor, id: string, name: string): Promise<Passkey> {
    const { stores, clock } = this.deps;
    const clean = cleanName(name);
    return change(
      stores,
      clock,
      actor,
      async (tx) => (await tx.passkeys.rename(actor.caller.userId, id, clean)) ?? missing(),
      (passkey) => noteOf("passkey.rename", passkey),
    );
  }

  async remove(actor: PersonActor, id: string): Promise<void> {
    const { stores, clock } = this.deps;
    const { userId } = actor.caller;
    await change(
      stores,
      clock,
      actor,
      async (tx) => {
        const removed = (await tx.passkeys.remove(userId, id)) ?? missing();
        await this.tell(tx, userId, { change: "removed", name: removed.name });
        return removed;
      },
      (removed) => noteOf("passkey.remove", removed),
    );
  }

  /** By an administrator: all that somebody has. */
  async reset(caller: AdminCaller, userId: number, address: string | null): Promise<void> {
    const { stores, clock } = this.deps;
    await change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        const removed = await tx.passkeys.removeOf(userId);
        if (removed === 0) throw new GatewayError("not_found", "There is no passkey to remove.");
        await this.tell(tx, userId, { change: "removed", name: null });
        return removed;
      },
      (removed) => ({
        action: "passkey.reset",
        organizationId: null,
        targetType: "user",
        targetId: String(userId),
        details: { removed },
      }),
    );
  }

  /** Null when there is nobody to tell any more. */
  async readerOf(userId: number): Promise<User | null> {
    const user = await this.deps.stores.users.find(userId);
    return user?.status === "active" ? user : null;
  }

  /** Whoever has got at somebody's session is not the one who reads their mail. */
  private async tell(tx: AccountStores, userId: number, news: PasskeyNews): Promise<void> {
    if (!this.deps.isMailed()) return;
    const createdAt = this.deps.clock.nowMs();
    await tx.outbox.insert({ topic: "mail.passkey", payload: { userId, ...news, at: createdAt }, createdAt });
  }
}

/** Who a device says that it signs in: the same for all passkeys of a person, and nothing that names them. */
export const handleOf = (pepper: Uint8Array, userId: number): Buffer => hmacBytes(pepper, `passkey:${userId}`);

const useOf = ({ userId }: SessionCaller): string => `passkey-of:${userId}`;

function requireRoom(present: readonly Passkey[]): void {
  if (present.length < PASSKEYS_MAX) return;
  throw new GatewayError("conflict", `A person has at most ${PASSKEYS_MAX} passkeys; remove one first.`);
}

const known = (): GatewayError => new GatewayError("conflict", "This passkey is registered already.");

const missing = (): never => {
  throw new GatewayError("not_found", "There is no such passkey.");
};

const noteOf = (action: string, { id, name }: Passkey): ChangeNote => ({
  action,
  organizationId: null,
  targetType: "passkey",
  targetId: id,
  details: { name },
});
