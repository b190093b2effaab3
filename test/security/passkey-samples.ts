import { PasskeyTickets } from "../../src/accounts/passkey-tickets.ts";
import { handleOf } from "../../src/accounts/passkeys.ts";
import { deriveSecrets } from "../../src/accounts/secrets.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { SoftwareAuthenticator } from "../accounts/software-authenticator.ts";
import type { MakeSample } from "./samples.ts";
import { quickHash, ROOT_SECRET, type World } from "./world.ts";

const PLACE = { origin: "http://turnpike.test", rpId: "turnpike.test" };
const newChallenge = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
const userHandleOf = (userId: number): string =>
  handleOf(deriveSecrets(ROOT_SECRET).codePepper, userId).toString("base64url");

const cookieFor = (world: World, use: string, challenge: string) => {
  const { sealingKey } = deriveSecrets(ROOT_SECRET);
  const tickets = new PasskeyTickets({ stores: world.app.storage.accounts, clock: systemClock, sealingKey });
  const ticket = world.secret("passkey ticket", tickets.make(use, PLACE, challenge));
  return { cookie: `__Host-turnpike-passkey=${ticket}` };
};

/** Of somebody's, straight into the store. */
async function newPasskey(world: World, userId: number) {
  const device = new SoftwareAuthenticator(PLACE.origin);
  const { credentialId, publicKey } = device;
  const id = crypto.randomUUID();
  const named = { name: "A passkey", rpId: PLACE.rpId, transports: [], createdAt: Date.now(), lastUsedAt: null };
  await world.app.storage.accounts.passkeys.insert({ id, userId, credentialId, publicKey, counter: 0n, ...named });
  return { id, device };
}

const own: MakeSample = async (world, _, callerId) => ({ params: { id: (await newPasskey(world, callerId)).id } });

export const PASSKEY_SAMPLES: Readonly<Record<string, MakeSample>> = {
  "POST /api/auth/passkeys/sign-in/options": () => ({}),
  "POST /api/auth/passkeys/sign-in": async (world) => {
    const { id } = await world.newPerson();
    const { device } = await newPasskey(world, id);
    const challenge = newChallenge();
    const credential = device.get({ challenge, rpId: PLACE.rpId }, { userHandle: userHandleOf(id) });
    return { body: { credential }, headers: cookieFor(world, "passkey-sign-in", challenge) };
  },
  "GET /api/auth/passkeys": () => ({}),
  "POST /api/auth/passkeys/options": async (world, _, callerId) => {
    const password = world.secret("password", `canary-password-${crypto.randomUUID()}`);
    await world.app.storage.accounts.users.update(callerId, { passwordHash: await quickHash(password) });
    await world.app.storage.accounts.passkeys.removeOf(callerId);
    return { body: { password } };
  },
  "POST /api/auth/passkeys": async (world, _, callerId) => {
    await world.app.storage.accounts.passkeys.removeOf(callerId);
    const challenge = newChallenge();
    const options = { challenge, rp: { id: PLACE.rpId }, user: { id: userHandleOf(callerId) } };
    const credential = new SoftwareAuthenticator(PLACE.origin).create(options);
    return { body: { name: "A passkey", credential }, headers: cookieFor(world, `passkey-of:${callerId}`, challenge) };
  },
  "PATCH /api/auth/passkeys/{id}": async (...given) => ({ ...(await own(...given)), body: { name: "Renamed" } }),
  "DELETE /api/auth/passkeys/{id}": own,
  "DELETE /api/admin/users/{id}/passkeys": async (world) => {
    const { id } = await world.newPerson();
    await newPasskey(world, id);
    return { params: { id: String(id) } };
  },
};
