import { importPKCS8, SignJWT } from "jose";
import { isRecord } from "../lib/json.ts";
import { askForToken, keepTokens, refused, requireSafeUri, type Token, type TokenDeps } from "./token-endpoint.ts";

interface GoogleTokens {
  /** A token for the account of a key file, given as the file's JSON text. */
  accessToken(credentialsJson: string): Promise<string>;
}

type Fields = Readonly<Record<string, unknown>>;

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URI = "https://oauth2.googleapis.com/token";
const ASSERTION_SECONDS = 3600;

export const createGoogleTokens = (deps: TokenDeps): GoogleTokens => ({
  accessToken: keepTokens((credentialsJson) => requestToken(readCredentials(credentialsJson), deps), deps.nowMs),
});

function readCredentials(text: string): Fields {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed)) return parsed;
  } catch {
    // The parser's message would quote the secret.
  }
  throw refused("The Google credentials of this deployment are not the JSON of a key file.");
}

async function requestToken(credentials: Fields, deps: TokenDeps): Promise<Token> {
  const uri = tokenUri(credentials);
  return askForToken("Google", uri, await grant(credentials, uri, deps.nowMs()), deps);
}

async function grant(credentials: Fields, uri: string, nowMs: number): Promise<URLSearchParams> {
  switch (credentials.type) {
    case "service_account":
      return new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: await assertion(credentials, uri, nowMs),
      });
    case "authorized_user":
      return new URLSearchParams({
        grant_type: "refresh_token",
        client_id: field(credentials, "client_id"),
        client_secret: field(credentials, "client_secret"),
        refresh_token: field(credentials, "refresh_token"),
      });
    default:
      throw refused("Google credentials are a key of type service_account or authorized_user.");
  }
}

async function assertion(credentials: Fields, audience: string, nowMs: number): Promise<string> {
  const issuer = field(credentials, "client_email");
  const pem = field(credentials, "private_key").replaceAll("\\n", "\n");
  const { private_key_id: keyId } = credentials;
  const nowSeconds = Math.floor(nowMs / 1000);
  try {
    const key = await importPKCS8(pem, "RS256");
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(typeof keyId === "string" ? { kid: keyId } : {}) })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + ASSERTION_SECONDS)
      .sign(key);
  } catch {
    // No cause: what a library says about a key may quote it.
    throw refused("The private_key of the Google credentials cannot be read.");
  }
}

function field(credentials: Fields, name: string): string {
  const value = credentials[name];
  if (typeof value === "string" && value !== "") return value;
  throw refused(`The Google credentials have no ${name}.`);
}

/** From the key, as Google writes it there. */
const tokenUri = (credentials: Fields): string =>
  requireSafeUri(credentials.token_uri ?? TOKEN_URI, "token_uri of the Google credentials");
