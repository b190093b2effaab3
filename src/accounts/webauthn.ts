import { randomBytes } from "node:crypto";
import type { NewCredential, SignedCredential } from "../contract/passkeys.ts";
import { type PasskeyPlace, type PasskeyTicket, TICKET_MS } from "./passkey-tickets.ts";
import type { Passkey } from "./sign-in-records.ts";

const RP_NAME = "Turnpike";
const CHALLENGE_BYTES = 32;
/** Ed25519, P-256 and RSA, as COSE numbers them. */
const ALGORITHMS = [-8, -7, -257];
/** Browsers ask for a finger, a face or a PIN: the device and that make two factors. */
const VERIFIED = "required";

/** It takes 7 MB of memory, which a server whose people have no passkeys does without. */
const load = () => import("@simplewebauthn/server");

export interface NewPasskeyOf {
  /** Tells a device whose the passkey is, and nobody else. */
  readonly handle: Buffer;
  readonly email: string;
  readonly name: string;
  readonly present: readonly Passkey[];
}

export async function creationOptions({ rpId }: PasskeyPlace, { handle, email, name, present }: NewPasskeyOf) {
  const { generateRegistrationOptions } = await load();
  return generateRegistrationOptions({
    rpName: RP_NAME,
    rpID: rpId,
    userID: new Uint8Array(handle),
    userName: email,
    userDisplayName: name,
    challenge: newChallenge(),
    timeout: TICKET_MS,
    attestationType: "none",
    authenticatorSelection: { residentKey: "required", userVerification: VERIFIED },
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: present
      .filter((passkey) => passkey.rpId === rpId)
      .map(({ credentialId, transports }) => ({ id: credentialId, transports: [...transports] })),
  });
}

export async function requestOptions({ rpId }: PasskeyPlace) {
  const { generateAuthenticationOptions } = await load();
  return generateAuthenticationOptions({
    rpID: rpId,
    challenge: newChallenge(),
    timeout: TICKET_MS,
    userVerification: VERIFIED,
  });
}

/** What is kept of a new passkey. Throws what is wrong with it. */
export async function verifyCreation(
  credential: NewCredential,
  { challenge, origin, rpId }: PasskeyTicket,
): Promise<Pick<Passkey, "credentialId" | "publicKey" | "counter">> {
  await refuseCertificates(credential);
  const { verifyRegistrationResponse } = await load();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...credential, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  });
  if (!verified) throw new Error("the attestation does not fit");
  const { id, publicKey, counter } = registrationInfo.credential;
  return { credentialId: id, publicKey: Buffer.from(publicKey).toString("base64url"), counter: BigInt(counter) };
}

/** The counter of a device that has signed. Throws what is wrong, also where the counter has not moved on. */
export async function verifySignature(
  credential: SignedCredential,
  { challenge, origin, rpId }: PasskeyTicket,
  { credentialId, publicKey, counter }: Passkey,
): Promise<bigint> {
  const { verifyAuthenticationResponse } = await load();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...credential, response: signedParts(credential), clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: credentialId,
      publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")),
      counter: Number(counter),
    },
  });
  if (!verified) throw new Error("the signature does not fit");
  return BigInt(authenticationInfo.newCounter);
}

/**
 * None was asked for: who made the device is nobody's business. The package would look at certificates all the same, and fetch
 * lists of those that were revoked, while this server calls nobody for a passkey.
 */
async function refuseCertificates({ response }: NewCredential): Promise<void> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, "base64url")));
  const isOwnWord = decoded.get("fmt") === "packed" && decoded.get("attStmt").get("x5c") === undefined;
  if (decoded.get("fmt") !== "none" && !isOwnWord)
    throw new Error(`attestation ${decoded.get("fmt")} was not asked for`);
}

const signedParts = ({ response: { clientDataJSON, authenticatorData, signature } }: SignedCredential) => ({
  clientDataJSON,
  authenticatorData,
  signature,
});

const newChallenge = (): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(CHALLENGE_BYTES));
