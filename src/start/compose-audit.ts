import type { AuditChainStore, Seal } from "../accounts/audit-chain.ts";
import { AuditSealer } from "../accounts/audit-sealer.ts";
import { deriveSecrets } from "../accounts/secrets.ts";
import { type ChainReport, verifyAuditChain } from "../accounts/verify-audit-chain.ts";
import type { WatchedGauge } from "../http/metrics.ts";
import type { Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { verifyAuditLogRoute } from "../routes/audit/verify-audit-log.ts";
import type { LiveConfig } from "./live-config.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Removals of one look, each of some hundred rows; what is left waits for the next. */
const REMOVALS_MAX = 100;

interface AuditSurroundings {
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What goes on with the audit log beside the changes that write it. */
export interface AuditUpkeep {
  readonly routes: readonly Route[];
  readonly gauges: readonly WatchedGauge[];
  /** Seals what was written; called every second, and before the end. Never throws. */
  seal(): Promise<void>;
  /** Takes out rows whose time is over; called now and then. Never throws. */
  tidy(): Promise<void>;
  /** Computes the chain again and logs where it ends, so that it is known outside the database too. Never throws. */
  reconcile(): Promise<void>;
}

export function composeAudit(
  live: LiveConfig,
  store: AuditChainStore,
  { secret, clock, log }: AuditSurroundings,
): AuditUpkeep {
  const { auditKey } = deriveSecrets(secret);
  const sealer = new AuditSealer(store, auditKey);
  const verify = (noted: Seal | null): Promise<ChainReport> => verifyAuditChain(store, auditKey, noted);
  let differences = 0;
  let isSealing = true;
  return {
    routes: [verifyAuditLogRoute(verify)],
    gauges: [
      ["turnpike_audit_differences", "What the last look at the audit log found to differ.", () => differences, "max"],
    ],
    async seal() {
      try {
        await sealer.seal();
        isSealing = true;
      } catch (thrown) {
        // Every second anew, this would be a line for each.
        if (isSealing) log.error({ err: thrown }, "the audit log cannot be sealed; trying again");
        isSealing = false;
      }
    },
    async tidy() {
      const days = live.config.audit.retentionDays;
      if (days === null) return;
      try {
        let removed = 0;
        for (let last = 1, looks = 0; last > 0 && looks < REMOVALS_MAX; looks++) {
          last = await sealer.removeBefore(clock.nowMs() - days * DAY_MS);
          removed += last;
        }
        if (removed > 0) log.info({ removed }, "rows whose time is over left the audit log");
      } catch (thrown) {
        log.warn({ err: thrown }, "old rows could not be taken out of the audit log");
      }
    },
    async reconcile() {
      try {
        const { head, firstDifference, ...report } = await verify(null);
        differences = report.differences;
        if (firstDifference) log.error({ ...report, firstDifference, head }, "the audit log was changed");
        else log.info({ ...head }, "the audit log is whole up to here");
      } catch (thrown) {
        log.error({ err: thrown }, "the audit log cannot be verified");
      }
    },
  };
}
