/** A deployment that is kept in the database: what may be read as it is, and the rest sealed. */
export interface StoredDeployment {
  readonly id: string;
  /** The name that callers use. */
  readonly groupName: string;
  readonly provider: string;
  /** Parameters that cannot hold a secret. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly info: Readonly<Record<string, unknown>>;
  /** All other parameters and information, sealed as one text. */
  readonly sealed: string;
  readonly status: "enabled" | "disabled";
  readonly createdBy: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Parameters that several deployments share under a name; its values and its description are sealed. */
export interface StoredCredential {
  readonly id: string;
  readonly name: string;
  /** Whose it is, where that was told. */
  readonly provider: string | null;
  readonly sealed: string;
  readonly createdBy: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What an operator has set about a deployment at run time, wherever the deployment itself is kept. */
export interface DeploymentSwitch {
  readonly deploymentId: string;
  readonly enabled: boolean;
  /** In place of the configured one; null: that one. */
  readonly weight: number | null;
  /** Until when it rests by an operator's hand; null where it does not. */
  readonly restUntil: number | null;
  /** When a rest was last ended by hand. */
  readonly clearedAt: number | null;
  readonly updatedAt: number;
}

export interface DeploymentSwitchStore {
  find(deploymentId: string): Promise<DeploymentSwitch | null>;
  /** In place of what is set. */
  put(set: DeploymentSwitch): Promise<void>;
  remove(deploymentId: string): Promise<void>;
  /** All of them, by id. */
  list(): Promise<readonly DeploymentSwitch[]>;
}

type Fixed = "id" | "createdAt" | "createdBy";

export interface DeploymentStore {
  find(id: string): Promise<StoredDeployment | null>;
  /** An id that another one has is a `conflict`. */
  insert(deployment: StoredDeployment): Promise<void>;
  update(id: string, changes: Partial<Omit<StoredDeployment, Fixed>>): Promise<void>;
  remove(id: string): Promise<void>;
  /** All of them, the oldest first: a process holds them whole. */
  list(): Promise<readonly StoredDeployment[]>;
}

export interface CredentialStore {
  find(name: string): Promise<StoredCredential | null>;
  /** A name that another one has is a `conflict`. */
  insert(credential: StoredCredential): Promise<void>;
  update(name: string, changes: Partial<Omit<StoredCredential, Fixed | "name">>): Promise<void>;
  remove(name: string): Promise<void>;
  /** All of them, the oldest first. */
  list(): Promise<readonly StoredCredential[]>;
}
