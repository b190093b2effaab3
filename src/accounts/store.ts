import type { ApiKey, Organization, OrganizationRole, Session, Team, TeamRole, User } from "./records.ts";

/** What accounts need of a database. `storage/` implements it; everything may throw `database` or `conflict`. */
export interface AccountStores {
  readonly users: UserStore;
  readonly organizations: OrganizationStore;
  readonly teams: TeamStore;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly settings: SettingStore;
  /** All or nothing; `work` uses the stores that it is handed, never the outer ones. */
  transaction<T>(work: (stores: AccountStores) => Promise<T>): Promise<T>;
}

export interface UserStore {
  find(id: number): Promise<User | null>;
  findByEmail(email: string): Promise<User | null>;
  /** The id is given by the database. A known e-mail is a `conflict`. */
  insert(user: Omit<User, "id">): Promise<User>;
}

export interface OrganizationStore {
  find(id: string): Promise<Organization | null>;
  insert(organization: Organization): Promise<void>;
  addMember(member: OrganizationMember): Promise<void>;
}

export interface OrganizationMember {
  readonly organizationId: string;
  readonly userId: number;
  readonly role: OrganizationRole;
  readonly joinedAt: number;
}

export interface TeamStore {
  find(id: string): Promise<Team | null>;
  insert(team: Team): Promise<void>;
  addMember(member: TeamMember): Promise<void>;
}

export interface TeamMember {
  readonly teamId: string;
  readonly userId: number;
  readonly role: TeamRole;
  readonly joinedAt: number;
}

export interface KeyStore {
  /** The key with the team that it belongs to: all that admission asks. */
  findByHash(hash: string): Promise<{ readonly key: ApiKey; readonly team: Team } | null>;
  insert(key: ApiKey): Promise<void>;
}

export interface SessionStore {
  find(id: string): Promise<Session | null>;
  insert(session: Session): Promise<void>;
  revoke(id: string, atMs: number): Promise<void>;
}

/** Small facts of this installation, such as the finger-print of its secret. */
export interface SettingStore {
  find(name: string): Promise<string | null>;
  put(name: string, value: string): Promise<void>;
}
