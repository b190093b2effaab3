import Type, { type Static } from "typebox";
import { Instant } from "./users.ts";

/** What devices and browsers send is bytes in base64url. */
const bytes = (charsMax: number) => Type.String({ minLength: 1, maxLength: charsMax, pattern: "^[A-Za-z0-9_-]+$" });
/** A credential's id has at most 1023 bytes. */
const CredentialId = bytes(1364);
const ClientData = bytes(8_192);

const credential = { id: CredentialId, rawId: CredentialId, type: Type.Enum(["public-key"]) } as const;

/** What `navigator.credentials.create` gave, as its `toJSON` writes it. */
export const NewCredential = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: ClientData,
    attestationObject: bytes(16_384),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32, pattern: "^[a-z-]+$" }), { maxItems: 10 })),
  }),
});
export type NewCredential = Static<typeof NewCredential>;

/** What `navigator.credentials.get` gave. */
export const SignedCredential = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: ClientData,
    authenticatorData: bytes(8_192),
    signature: bytes(4_096),
    userHandle: Type.Optional(bytes(128)),
  }),
});
export type SignedCredential = Static<typeof SignedCredential>;

export const PasskeyName = Type.String({
  minLength: 1,
  description: "1 to 100 characters, without the spaces around it.",
});

export const CreatePasskeyBody = Type.Object({
  name: PasskeyName,
  credential: NewCredential,
});

/** Options of WebAuthn go to the browser as they are. */
export const WebAuthnOptions = Type.Object({}, { additionalProperties: true });

export const PasskeyRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  host: Type.String({ description: "The host that it was made at, and the only one that it is good at." }),
  createdAt: Instant,
  lastUsedAt: Type.Union([Instant, Type.Null()]),
});
export type PasskeyRecord = Static<typeof PasskeyRecord>;
