import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { NewCredential, SignedCredential } from "../../src/contract/passkeys.ts";

/** What a browser is given for a new passkey, as far as a device looks at it. */
export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

export interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** What a test wants to be otherwise than a good device and browser have it. */
export interface Twist {
  readonly origin?: string;
  readonly challenge?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly counter?: number;
  readonly userHandle?: string | null;
  readonly isVerified?: boolean;
  readonly credentialId?: string;
  readonly attestation?: { readonly fmt: string; readonly statement: Cbor };
}

const [PRESENT, VERIFIED, HAS_CREDENTIAL] = [0x01, 0x04, 0x40];

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export type Algorithm = "ES256" | "EdDSA" | "RS256";

const KEYS: Readonly<Record<Algorithm, () => KeyPair>> = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: () => generateKeyPairSync("ed25519"),
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
};

/** A device and its browser in one: a key pair that signs for one person, and counts. */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32).toString("base64url");
  private readonly keys: KeyPair;
  private userHandle = "";
  /** A device that does not count says 0 each time. */
  counter = 0;

  constructor(
    private readonly origin: string,
    private readonly isCounting = true,
    private readonly algorithm: Algorithm = "ES256",
  ) {
    this.keys = KEYS[algorithm]();
  }

  get publicKey(): string {
    return encode(this.coseKey()).toString("base64url");
  }

  create({ challenge, rp, user }: CreationOptions, twist: Twist = {}): NewCredential {
    this.userHandle = user.id;
    const id = twist.credentialId ?? this.credentialId;
    const idBytes = Buffer.from(id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(idBytes.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, idBytes, encode(this.coseKey())]);
    const authData = Buffer.concat([this.header(twist.rpId ?? rp.id, twist, HAS_CREDENTIAL), attested]);
    const { fmt, statement } = twist.attestation ?? { fmt: "none", statement: new Map() };
    const object = encode(
      new Map<string, Cbor>([
        ["fmt", fmt],
        ["attStmt", statement],
        ["authData", authData],
      ]),
    );
    const response = {
      clientDataJSON: this.clientData("webauthn.create", challenge, twist).toString("base64url"),
      attestationObject: object.toString("base64url"),
      transports: ["internal"],
    };
    return { id, rawId: id, type: "public-key", response };
  }

  get({ challenge, rpId }: RequestOptions, twist: Twist = {}): SignedCredential {
    if (this.isCounting) this.counter++;
    const authData = this.header(twist.rpId ?? rpId, twist);
    const clientData = this.clientData("webauthn.get", challenge, twist);
    const signed = Buffer.concat([authData, createHash("sha256").update(clientData).digest()]);
    const userHandle = twist.userHandle === undefined ? this.userHandle : twist.userHandle;
    const id = twist.credentialId ?? this.credentialId;
    const response = {
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: authData.toString("base64url"),
      signature: sign(this.algorithm === "EdDSA" ? null : "sha256", signed, this.keys.privateKey).toString("base64url"),
      ...(userHandle === null ? {} : { userHandle }),
    };
    return { id, rawId: id, type: "public-key", response };
  }

  private header(rpId: string, { counter = this.counter, isVerified = true }: Twist, more = 0): Buffer {
    const rest = Buffer.alloc(5);
    rest.writeUInt8(PRESENT | (isVerified ? VERIFIED : 0) | more);
    rest.writeUInt32BE(counter, 1);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), rest]);
  }

  private clientData(type: string, challenge: string, twist: Twist): Buffer {
    const told = { type, challenge, origin: this.origin, crossOrigin: false };
    const { origin = told.origin } = twist;
    return Buffer.from(
      JSON.stringify({ ...told, type: twist.type ?? type, challenge: twist.challenge ?? challenge, origin }),
    );
  }

  /** RFC 9053 and 8230: the key's type and algorithm, then the point on a curve, or the modulus and the exponent. */
  private coseKey(): Cbor {
    const jwk = this.keys.publicKey.export({ format: "jwk" });
    const part = (name: "x" | "y" | "n" | "e"): Buffer => Buffer.from(jwk[name] ?? "", "base64url");
    const pairs: Readonly<Record<Algorithm, readonly (readonly [number, Cbor])[]>> = {
      ES256: [
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, part("x")],
        [-3, part("y")],
      ],
      EdDSA: [
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, part("x")],
      ],
      RS256: [
        [1, 3],
        [3, -257],
        [-1, part("n")],
        [-2, part("e")],
      ],
    };
    return new Map(pairs[this.algorithm]);
  }
}

type Cbor = number | string | Buffer | readonly Cbor[] | ReadonlyMap<string | number, Cbor>;

/** As much of RFC 8949 as a device writes. */
function encode(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encode)]);
  const entries = [...(value as ReadonlyMap<string | number, Cbor>)];
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, one]) => [encode(key), encode(one)])]);
}

/** The kind in three bits, and a number that fits five bits, one byte or two. */
function head(kind: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(kind << 5) | count]);
  if (count < 256) return Buffer.from([(kind << 5) | 24, count]);
  return Buffer.from([(kind << 5) | 25, count >> 8, count & 0xff]);
}
