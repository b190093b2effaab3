import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Organization } from "../accounts/records.ts";
import type { Config } from "../config/config.ts";
import { balanceRecord, quotaRecord } from "../contract/billing.ts";
import { dollars } from "../contract/money.ts";
import { paged } from "../contract/paging.ts";
import { type Finding, isSound } from "../ledger/audit.ts";
import type { ReplayReport } from "../ledger/journal/replay-folders.ts";
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
    else for (const line of findingLines(findings)) print(line);
    return sound ? 0 : 1;
  });

export const findingLines = (findings: readonly Finding[]): string[] =>
  findings.flatMap(({ name, meaning, differences, unchecked }) => [
    `${differences.length === 0 ? "ok     " : "DIFFERS"} ${name.padEnd(9)} ${meaning}`,
    ...differences.map((difference) => `          ${difference}`),
    ...(unchecked === null ? [] : [`          not checked: ${unchecked}`]),
  ]);

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
    const report = await settleJournal(storage, dataDir);
    if (flags.json) print(JSON.stringify(report));
    else {
      print(`${report.calls} calls found, ${report.settled} of them new, ${report.aborted} had not ended.`);
      if (report.tornBytes > 0) print(`${report.tornBytes} bytes at the end of files were cut off.`);
      if (report.forgotten > 0)
        print(`${report.forgotten} are older than the usage log, and were not charged: they may have been before.`);
      if (report.leftOut > 0)
        print(`${report.leftOut} folders are another process's, or cannot be locked: left as they are.`);
      for (const path of report.setAside) print(`has records that cannot be settled; set aside: ${path}`);
    }
    return report.setAside.length === 0 ? 0 : 1;
  });

/** What processes that are no more have left behind is in the database then, as after a start. */
export async function settleJournal(storage: Storage, dataDir: string): Promise<ReplayReport> {
  const log = createLogger("info", () => undefined);
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
  return report;
}

type StorageWork = (storage: Storage, dataDir: string, config: Config) => Promise<number>;

/** Beside a running server only where nothing is written that it has in its hands. */
export function withStorage(flags: OperatorFlags, alone: boolean, work: StorageWork): Promise<number> {
  const { config } = readConfig(flags.config ?? null, withFlags(process.env, flags));
  return withStorageOf(config, flags, alone, work);
}

export async function withStorageOf(
  config: Config,
  flags: OperatorFlags,
  alone: boolean,
  work: StorageWork,
): Promise<number> {
  const { dataDir, databaseUrl, databaseTimeoutMs } = config;
  if (databaseUrl === null) requireThere(join(dataDir, "turnpike.db"), `There is no database in ${dataDir}`);
  else if (alone) requireThere(dataDir, `There is no folder ${dataDir}`);
  const lock = alone ? lockData(config) : null;
  const storage = openStorage({ databaseUrl, dataDir, timeoutMs: databaseTimeoutMs });
  try {
    if ((await storage.pendingMigrations()).length > 0) throw new StartError(otherTables(flags, databaseUrl === null));
    return await work(storage, dataDir, config);
  } catch (thrown) {
    throw asStartError(thrown);
  } finally {
    await storage.close();
    lock?.release();
  }
}

/** With what was named, and without what was not meant: else another database would be brought along. */
function otherTables({ config, dataDir }: OperatorFlags, isSqlite: boolean): string {
  const unset = isSqlite && process.env.TURNPIKE_DATABASE_URL ? "TURNPIKE_DATABASE_URL= " : "";
  const named = Object.entries({ "--config": config, "--data-dir": dataDir }).flatMap(([flag, path]) =>
    path === undefined ? [] : [` ${flag} ${/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`],
  );
  return `The database has not the tables of this version. Bring it there with: ${unset}${COMMAND} migrate${named.join("")}`;
}

/** Who looks into books makes none: opening a database that is not there would. */
export function requireThere(path: string, otherwise: string): void {
  if (!existsSync(path)) throw new StartError(`${otherwise}; name the data folder with --data-dir.`, "USAGE_ERROR");
}
