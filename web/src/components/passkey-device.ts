import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { ApiError } from "../api/api-error.ts";

/** Browsers keep passkeys by the name of a host: at a mere number there are none. */
const NUMBER = /^(\[.*\]|\d+(\.\d+){3})$/;

/** Whether this browser has passkeys, for the address that the page is at. */
export const hasPasskeys = (): boolean =>
  typeof window.PublicKeyCredential === "function" && !NUMBER.test(window.location.hostname);

/** Has the browser make a passkey. What goes wrong is said as the server's own words are. */
export const makePasskey = (options: PublicKeyCredentialCreationOptionsJSON) =>
  startRegistration({ optionsJSON: options }).catch((thrown) => {
    throw inWords(thrown, "Nothing was added: it was cancelled, or took too long.", options.rp.id);
  });

/** Has the person choose one of their passkeys, and the device sign with it. */
export const askPasskey = (options: PublicKeyCredentialRequestOptionsJSON) =>
  startAuthentication({ optionsJSON: options }).catch((thrown) => {
    const cancelled = "It was cancelled or took too long, or there is no passkey for this address here.";
    throw inWords(thrown, cancelled, options.rpId);
  });

function inWords(thrown: unknown, cancelled: string, host = ""): ApiError {
  const { name, message } = thrown as Error;
  const words: Readonly<Record<string, string>> = {
    NotAllowedError: cancelled,
    AbortError: cancelled,
    InvalidStateError: "This device has a passkey of your account already.",
    NotSupportedError: TOO_LITTLE,
    ConstraintError: TOO_LITTLE,
    SecurityError: `Passkeys work at ${host} alone: open this page there.`,
  };
  return new ApiError(OF_BROWSER, { error: words[name] ?? `The browser could not do it. It says: ${message}` });
}

const TOO_LITTLE = "This device makes no such passkeys: it has to keep them, and to ask for a finger, a face or a PIN.";
/** A refusal, not a server that is away. */
const OF_BROWSER = { status: 400, headers: new Headers() };
