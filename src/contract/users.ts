import Type from "typebox";

/** Schemas of people as the platform's API shows them. */
export const Email = Type.String({ minLength: 3, maxLength: 254 });
export const Password = Type.String({ minLength: 1, maxLength: 1024 });
/** Six digits of an app, or a recovery code. */
export const OneTimeCode = Type.String({ minLength: 6, maxLength: 32 });
export const PersonName = Type.String({ minLength: 1, maxLength: 100, pattern: "\\S" });
export const Instant = Type.String({ format: "date-time" });

export const UserView = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  name: Type.String(),
  role: Type.String(),
});

export const AdminUserView = Type.Object({
  ...UserView.properties,
  email: Type.String({ description: "Empty for a record without sign-in." }),
  externalId: Type.Union([Type.String(), Type.Null()], { description: "The id that the operator chose." }),
  signIn: Type.Boolean({ description: "Whether the user has an email to sign in with." }),
  viewer: Type.Boolean({ description: "May only read." }),
  status: Type.String(),
  emailVerified: Type.Boolean(),
  twoFactorEnabled: Type.Boolean(),
  passkeys: Type.Integer({ description: "How many the person has." }),
  organizations: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), role: Type.String() }), {
    description: "Those that the person is in.",
  }),
  createdAt: Instant,
  lastLoginAt: Type.Union([Instant, Type.Null()]),
});

export const TokenView = Type.Object({ token: Type.String(), expiresAt: Instant });

export const isoTime = (ms: number): string => new Date(ms).toISOString();
export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
