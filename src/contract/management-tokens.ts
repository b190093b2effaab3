import Type, { type Static } from "typebox";
import { Instant } from "./users.ts";

/** What a management token may be made for. A route names the one that it needs; one that names none takes no token. */
export const TOKEN_SCOPES = [
  "keys:read",
  "keys:write",
  "teams:read",
  "teams:write",
  "usage:read",
  "billing:read",
  "organization:read",
  "audit:read",
  "metrics:read",
] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** How a management token begins; a key begins with `sk-`. */
export const TOKEN_PREFIX = "mk-";

const Id = Type.String({ minLength: 1, maxLength: 64, pattern: "^[\\w-]+$" });
const Expiry = Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
  description: "A time in the future with its zone; without one the token has no end.",
});
const OneOrMore = Type.Array(Type.Enum(TOKEN_SCOPES), { minItems: 1, maxItems: TOKEN_SCOPES.length });

export const CreateTokenBody = Type.Object({
  name: Type.String({ minLength: 1, description: "1 to 100 characters, without the spaces around it." }),
  scopes: { ...OneOrMore, description: "What it may be used for, within what you may do yourself." },
  organizationId: Type.Optional({ ...Id, description: "The one that it reaches; your active one unless told." }),
  organization_id: Type.Optional(Id),
  expiresAt: Type.Optional(Expiry),
  expires_at: Type.Optional(Expiry),
});

export const ManagementTokenRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  maskedToken: Type.String(),
  organizationId: Type.String(),
  scopes: Type.Array(Type.Enum(TOKEN_SCOPES)),
  expiresAt: Type.Union([Instant, Type.Null()]),
  lastUsedAt: Type.Union([Instant, Type.Null()]),
  createdAt: Instant,
});
export type ManagementTokenRecord = Static<typeof ManagementTokenRecord>;

export const FreshTokenRecord = Type.Object({
  ...ManagementTokenRecord.properties,
  token: Type.String({ description: "The whole token. It is shown this once." }),
});
export type FreshTokenRecord = Static<typeof FreshTokenRecord>;
