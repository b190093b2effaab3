import type { Owner } from "../contract/cursor.ts";
import { GatewayError } from "../contract/errors.ts";
import type { OrganizationStorage } from "../contract/files/organization-storage.ts";
import type { StorageGate, StoredAs } from "../contract/files/storage-gate.ts";
import type { Logger } from "../lib/log.ts";

/** What an organization stores, and how much it may. */
export interface StorageUsage {
  readonly usedBytes: number;
  /** Null: the default applies. */
  readonly quotaBytes: number | null;
}

/** What quotas need of a database. */
export interface StorageUsageStore {
  find(of: { readonly organizationId: string } | { readonly teamId: string }): Promise<StorageUsage>;
  /** Adds the recorded changes to the sums of their teams. */
  sumUp(): Promise<void>;
}

export interface StorageLimitDeps {
  readonly store: StorageUsageStore;
  /** The quota of organizations that have none of their own. */
  readonly quotaBytes: () => number;
  /** Whether the disk of the server has room for so many more bytes. */
  readonly hasSpace: (bytes: number, as: StoredAs) => boolean;
  readonly log: Logger;
}

const MIB = 1024 * 1024;
const inMib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

/** Limits what organizations store: by their quota, and by the free space of the disk. */
export class StorageLimits implements StorageGate {
  constructor(private readonly deps: StorageLimitDeps) {}

  async admit({ teamId }: Owner, bytes: number, as: StoredAs): Promise<void> {
    const { store, hasSpace } = this.deps;
    if (!hasSpace(bytes, as)) {
      const why =
        "The server's disk is almost full, so nothing can be stored at the moment. Calls without storage work.";
      throw new GatewayError("disk_full", why);
    }
    // The master key belongs to no organization.
    if (teamId === null) return;
    const { usedBytes, quotaBytes } = this.withDefault(await store.find({ teamId }));
    if (usedBytes + bytes <= quotaBytes) return;
    throw new GatewayError(
      "storage_quota",
      `The organization stores ${inMib(usedBytes)} of ${inMib(quotaBytes)}, and ${inMib(bytes)} more do not fit. ` +
        "Delete files, threads, conversations or responses, or ask the operator for a larger quota.",
    );
  }

  async of(organizationId: string): Promise<OrganizationStorage> {
    const found = await this.deps.store.find({ organizationId });
    return { ...this.withDefault(found), isDefault: found.quotaBytes === null };
  }

  /** Keeps the number of recorded changes small. Never throws. */
  async sumUp(): Promise<void> {
    const { store, log } = this.deps;
    await store.sumUp().catch((err) => log.warn({ err }, "the storage of organizations could not be summed up"));
  }

  private withDefault({ usedBytes, quotaBytes }: StorageUsage): { usedBytes: number; quotaBytes: number } {
    return { usedBytes, quotaBytes: quotaBytes ?? this.deps.quotaBytes() };
  }
}
