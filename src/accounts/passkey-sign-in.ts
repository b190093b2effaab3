import { createHash, timingSafeEqual } from "node:crypto";
import { GatewayError } from "../contract/errors.ts";
import type { SignedCredential } from "../contract/passkeys.ts";
import type { Clock } from "../lib/clock.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import type { PasskeyPlace, PasskeyTicket, PasskeyTickets } from "./passkey-tickets.ts";
import { handleOf } from "./passkeys.ts";
import type { RefusedSignIns } from "./refused-sign-ins.ts";
import type { IssuedToken } from "./session-tokens.ts";
import type { Device, Sessions } from "./sessions.ts";
import type { Passkey } from "./sign-in-records.ts";
import type { AccountStores } from "./store.ts";
import { requestOptions, verifySignature } from "./webauthn.ts";

const TICKET_USE = "passkey-sign-in";

export interface PasskeySignInDeps {
  readonly stores: AccountStores;
  readonly sessions: Sessions;
  readonly tickets: PasskeyTickets;
  /** Of answers that do not fit. */
  readonly throttle: LoginThrottle;
  readonly refused: RefusedSignIns;
  readonly clock: Clock;
  readonly codePepper: Uint8Array;
}

/** Nobody says who they are: the device does. It has looked at a finger, a face or a PIN, so that no code is asked for. */
export class PasskeySignIn {
  constructor(private readonly deps: PasskeySignInDeps) {}

  /** The ticket goes into a cookie: only the browser that has asked can answer. */
  async begin(place: PasskeyPlace) {
    const options = await requestOptions(place);
    return { options, ticket: this.deps.tickets.make(TICKET_USE, place, options.challenge) };
  }

  finish(
    sealed: string | null,
    credential: SignedCredential,
    place: PasskeyPlace,
    device: Device,
  ): Promise<IssuedToken> {
    const { throttle, tickets } = this.deps;
    const subject = createHash("sha256").update(credential.id).digest("base64url");
    return throttle.attempt(subject, device.address, async () => {
      const ticket = await tickets.spend(TICKET_USE, sealed, place);
      try {
        const { passkey, counter } = await this.prove(credential, ticket);
        const issued = await this.open(passkey, counter, device);
        throttle.succeeded(subject, device.address);
        return issued;
      } catch (thrown) {
        if (isRefusal(thrown)) await this.noteRefusal(credential, thrown.kind, device, subject);
        throw thrown;
      }
    });
  }

  private async noteRefusal({ id }: SignedCredential, kind: string, { address }: Device, subject: string) {
    const { stores, throttle, refused } = this.deps;
    if (kind === "authentication") throttle.failed(subject, address);
    const userId = (await stores.passkeys.findByCredential(id))?.userId ?? null;
    const reason = userId === null ? "unknown_passkey" : kind === "permission" ? "disabled" : "wrong_answer";
    await refused.note({ way: "passkey", reason, userId, address });
  }

  private async prove(credential: SignedCredential, ticket: PasskeyTicket) {
    const { stores, codePepper } = this.deps;
    const passkey = await stores.passkeys.findByCredential(credential.id);
    if (passkey?.rpId !== ticket.rpId) throw refused();
    const handle = Buffer.from(credential.response.userHandle ?? "", "base64url");
    const wanted = handleOf(codePepper, passkey.userId);
    if (handle.length !== wanted.length || !timingSafeEqual(handle, wanted)) throw refused();
    const counter = await verifySignature(credential, ticket, passkey).catch((cause) => {
      throw refused(cause);
    });
    return { passkey, counter };
  }

  private open({ id, userId }: Passkey, counter: bigint, device: Device): Promise<IssuedToken> {
    const { stores, sessions, clock } = this.deps;
    return stores.transaction(async (tx) => {
      const now = clock.nowMs();
      // Holds back an administrator who shuts the person out, which must find this session too.
      await tx.users.update(userId, { lastLoginAt: now });
      const user = await tx.users.find(userId);
      if (user?.status !== "active") {
        throw new GatewayError("permission", "Your account is disabled; ask an administrator.");
      }
      // It may have been removed a moment ago, or a copy of the device may have been first.
      if (!(await tx.passkeys.used(id, counter, now))) throw refused();
      return sessions.open(tx, user, device, "passkey");
    });
  }
}

/** Neither a fault of ours nor a database that is away. */
const isRefusal = (thrown: unknown): thrown is GatewayError =>
  thrown instanceof GatewayError && (thrown.kind === "authentication" || thrown.kind === "permission");

/** The same for every reason: none of them is a caller's business. */
const refused = (cause?: unknown): GatewayError =>
  new GatewayError("authentication", "This passkey is not good here, or was removed; log in another way.", { cause });
