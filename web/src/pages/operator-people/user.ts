/** Somebody as `/api/admin/users` shows them. */
export interface AdminUser {
  readonly id: number;
  readonly externalId: string | null;
  /** Empty for a record without sign-in. */
  readonly email: string;
  readonly signIn: boolean;
  readonly viewer: boolean;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly status: "active" | "disabled";
  readonly emailVerified: boolean;
  readonly twoFactorEnabled: boolean;
  readonly passkeys: number;
  readonly createdAt: string;
  readonly lastLoginAt: string | null;
}

export const USERS_KEY = ["operator", "users"] as const;
