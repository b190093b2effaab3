import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Organization } from "../accounts/records.ts";
import type { Config } from "../config/config.ts";
import { balanceRecord, quotaRecord } from "../contract/billing.ts";
import { dollars } from "../contract/money.ts";
import { paged } from "../contract/paging.ts";
import { isSound } from "../ledger/audit.ts";
import type { Wallet } from "../ledger/store.ts";
import { systemClock } from "../lib/clock.ts";
import { COMMAND } from "../lib/command-name.ts";
import { createLogger } from "../lib/log.ts";
import { ledgerLineRecord } from "../routes/billing/list-ledger.ts";
import { openStorage, type Storage } from "../storage/open.ts";
import { composeBooks } from "./compose-books.ts";
import { lockData } from "./data-folder.ts";
import type { OperatorFlags } from "./program.ts";
import { readConfig, withFlags } from "./read-config.ts";
import { asStartError, StartError } from "./start-error.ts";

type Print = (text: string) => void;

/** `turnpike ledger verify`: recomputes the books and ends with 1 if anything differs. It changes nothing. */
export const verifyLedger = (flags: OperatorFlags, print: Print): Promise<number> =>
  withStorage(flags, false, async (storage) => {
    const findings = await storage.audit.verify(systemClock.nowMs());
    const sound = isSound(findings);
    if (flags.json) print(JSON.stringify({ ok: sound, findings }));
    else {
      for (const { name, meaning, differences, unchecked } of findings) {
        print(`${differences.length === 0 ? "ok     " : "DIFFERS"} ${name.padEnd(9)} ${meaning}`);
        for (const difference of differences) print(`          ${difference}`);
        if (unchecked !== null) print(`          not checked: ${unchecked}`);
      }
    }
    return sound ? 0 : 1;
  });

/** `turnpike ledger show ORG`: an organization's credit and its latest entries, straight from the database. */
export const showLedger = (flags: OperatorFlags, wanted: string, print: Print): Promise<number> =>
  withStorage(flags, false, async (storage) => {
    const organization = await findOrganization(storage, wanted);
    const organizationId = organization.id;
    const wallet = await storage.ledger.wallet(organizationId);
    const page = { page: 1, pageSize: 50 };
    const { rows, total } = await storage.ledger.list(organizationId, page);
    if (flags.json) {
      const whose = { organizationId, organization: organization.name };
      print(JSON.stringify({ ...whose, ...walletRecord(wallet), ...paged(rows.map(ledgerLineRecord), page, total) }));
      return 0;
    }
    print(`${organization.name} (${organizationId})`);
    for (const name of ["balance", "held", "purchased", "granted", "used"] as const) {
      print(`${name.padEnd(10)} ${dollars(wallet[name])}`);
    }
    const width = Math.max(
      0,
      ...rows.flatMap(({ amount, balance }) => [amount, balance].map((one) => dollars(one).length)),
    );
    for (const { at, kind, amount, balance, reason } of rows) {
      const money = [amount, balance].map((one) => dollars(one).padStart(width));
      print([new Date(at).toISOString(), kind.padEnd(10), ...money, reason].join("  "));
    }
    if (total > rows.length) print(`and ${total - rows.length} more`);
    return 0;
  });

const walletRecord = ({ purchased, granted, used, ...wallet }: Wallet) => ({
  ...balanceRecord(wallet.balance),
  ...quotaRecord(wallet),
  purchased: Number(purchased),
  granted: Number(granted),
  used: Number(used),
});

/** By its id, its slug or its name. */
async function findOrganization({ accounts }: Storage, wanted: string): Promise<Organization> {
  const byId = await accounts.organizations.find(wanted);
  if (byId) return byId;
  const { rows } = await accounts.organizations.list({ search: wanted }, { page: 1, pageSize: 100 });
  const [found, ...others] = rows.filter(({ slug, name }) => slug === wanted || name === wanted);
  if (!found) throw new StartError(`There is no organization ${wanted}.`, "NOT_FOUND");
  if (others.length > 0)
    throw new StartError(`${wanted} names several organizations; name it by its id.`, "USAGE_ERROR");
  return found;
}

/** `turnpike usage replay`: settles what the journal has of processes that are no more, as a start would. */
export const replayUsage = (flags: OperatorFlags, print: Print): Promise<number> =>
  withStorage(flags, true, async (storage, dataDir) => {
    const lines: string[] = [];
    const log = createLogger("info", (line) => lines.push(line));
    const books = composeBooks({
      storage,
      dataDir,
      clock: systemClock,
      log,
      sync: "always",
      forgetTeam: () => undefined,
    });
    const report = await books.prepare();
    await books.stop();
    if (flags.json) print(JSON.stringify(report));
    else {
      print(`${report.calls} calls found, ${report.settled} of them new, ${report.aborted} had not ended.`);
      if (report.tornBytes > 0) print(`${report.tornBytes} bytes at the end of files were cut off.`);
      if (report.forgotten > 0)
        print(`${report.forgotten} are older than the usage log, and were not charged: they may have been before.`);
      for (const path of report.setAside) print(`has records that cannot be settled; set aside: ${path}`);
    }
    return report.setAside.length === 0 ? 0 : 1;
  });

/** Beside a running server only where nothing is written that it has in its hands. */
export async function withStorage(
  flags: OperatorFlags,
  alone: boolean,
  work: (storage: Storage, dataDir: string, config: Config) => Promise<number>,
): Promise<number> {
  const { config } = readConfig(flags.config ?? null, withFlags(process.env, flags));
  const { dataDir, databaseUrl, databaseTimeoutMs } = config;
  if (databaseUrl === null) requireThere(join(dataDir, "turnpike.db"), `There is no database in ${dataDir}`);
  else if (alone) requireThere(dataDir, `There is no folder ${dataDir}`);
  const lock = alone ? lockData(config) : null;
  const storage = openStorage({ databaseUrl, dataDir, timeoutMs: databaseTimeoutMs });
  try {
    if ((await storage.pendingMigrations()).length > 0) throw new StartError(otherTables(flags));
    return await work(storage, dataDir, config);
  } catch (thrown) {
    throw asStartError(thrown);
  } finally {
    await storage.close();
    lock?.release();
  }
}

/** With what was named: without it another database would be brought along. */
function otherTables({ config, dataDir }: OperatorFlags): string {
  const named = Object.entries({ "--config": config, "--data-dir": dataDir }).flatMap(([flag, path]) =>
    path === undefined ? [] : [` ${flag} ${/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`],
  );
  return `The database has not the tables of this version. Bring it there with: ${COMMAND} migrate${named.join("")}`;
}

/** Who looks into books makes none: opening a database that is not there would. */
export function requireThere(path: string, otherwise: string): void {
  if (!existsSync(path)) throw new StartError(`${otherwise}; name the data folder with --data-dir.`, "USAGE_ERROR");
}
