import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import type { Passwords } from "./passwords.ts";
import { requireFresh } from "./require-fresh.ts";
import type { AccountStores } from "./store.ts";
import type { Proof, TwoFactor } from "./two-factor.ts";

export interface PresenceDeps {
  readonly stores: AccountStores;
  readonly passwords: Passwords;
  readonly twoFactor: TwoFactor;
  readonly throttle: LoginThrottle;
  readonly clock: Clock;
}

/** That it is the person, not only somebody at their open session: by the password, or by a code of a second factor that is on. */
export function provePresence(
  deps: PresenceDeps,
  caller: SessionCaller,
  proof: Proof,
  address: string | null,
): Promise<void> {
  return deps.throttle.attempt(caller.email, address, () => tryToProve(deps, caller, proof, address));
}

async function tryToProve(
  deps: PresenceDeps,
  caller: SessionCaller,
  { password, code }: Proof,
  address: string | null,
): Promise<void> {
  const { stores, passwords, twoFactor, throttle } = deps;
  const { userId, email } = caller;
  const hash = (await stores.users.find(userId))?.passwordHash ?? null;
  const hasCodes = await twoFactor.isOn(userId);
  if (hash === null && !hasCodes) return requireFresh(deps, caller);
  const field = hasCodes && (code !== undefined || hash === null) ? "code" : "password";
  const sent = field === "code" ? code : password;
  if (sent === undefined) throw new GatewayError("invalid_request", `${field}: send it too.`, { param: field });
  const isProved =
    field === "code" ? await twoFactor.accept(userId, sent, address) : await passwords.verify(sent, hash);
  if (!isProved) {
    throttle.failed(email, address);
    throw new GatewayError("permission", `${field}: it is wrong.`);
  }
  throttle.succeeded(email, address);
}
