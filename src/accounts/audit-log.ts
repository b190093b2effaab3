import type { SessionCaller } from "../contract/caller.ts";
import { requireOrganization } from "./access.ts";
import type { LoggedEntry } from "./records.ts";
import type { AccountStores, AuditFilter, Page, Paged } from "./store.ts";

/** Held at a time while the log is exported, whatever its length. */
const BATCH = 500;

/** Who changed what, for operators and for those who run an organization. */
export class AuditLog {
  constructor(private readonly stores: AccountStores) {}

  list(filter: AuditFilter, page: Page): Promise<Paged<LoggedEntry>> {
    return this.stores.audit.list(filter, page);
  }

  /** Of one organization, for its owners and admins. */
  async listOf(
    caller: SessionCaller,
    organizationId: string,
    filter: AuditFilter,
    page: Page,
  ): Promise<Paged<LoggedEntry>> {
    await requireOrganization(this.stores, caller, organizationId, "admin");
    return this.stores.audit.list({ ...filter, organizationId }, page);
  }

  async entriesOf(
    caller: SessionCaller,
    organizationId: string,
    filter: AuditFilter,
  ): Promise<AsyncGenerator<readonly LoggedEntry[]>> {
    await requireOrganization(this.stores, caller, organizationId, "admin");
    return this.entries({ ...filter, organizationId });
  }

  /** All of it, the newest first, read on as it is asked for. */
  async *entries(filter: AuditFilter): AsyncGenerator<readonly LoggedEntry[]> {
    let after: LoggedEntry | null = null;
    for (;;) {
      const rows: readonly LoggedEntry[] = await this.stores.audit.listAfter(filter, after, BATCH);
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
      after = rows.at(-1) ?? null;
    }
  }
}
