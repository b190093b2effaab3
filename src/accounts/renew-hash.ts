import type { Clock } from "../lib/clock.ts";
import { lockUser } from "./end-sign-ins.ts";
import type { Passwords } from "./passwords.ts";
import type { User } from "./records.ts";
import type { AccountStores } from "./store.ts";

interface RenewDeps {
  readonly stores: AccountStores;
  readonly passwords: Passwords;
  readonly clock: Clock;
}

/** Only a log-in has the password at hand. The person as they are stored afterwards, to be proved still the same. */
export async function renewHash(deps: RenewDeps, user: User, password: string): Promise<User> {
  const { stores, passwords, clock } = deps;
  const old = user.passwordHash;
  if (old === null || !passwords.isWeak(old)) return user;
  // Too many log-ins at once: the next one of this person does it.
  const passwordHash = await passwords.hash(password).catch(() => null);
  if (passwordHash === null) return user;
  const present = await stores.transaction(async (tx) => {
    await lockUser(tx, user.id, clock.nowMs());
    const found = await tx.users.find(user.id);
    if (found?.passwordHash !== old) return found;
    await tx.users.update(user.id, { passwordHash });
    return { ...found, passwordHash };
  });
  // Another log-in at the same moment has renewed it. What somebody has changed meanwhile does not fit the password any more.
  const isSame =
    present?.passwordHash === passwordHash || (await passwords.verify(password, present?.passwordHash ?? null));
  return present && isSame ? present : user;
}
