import { mkdirSync } from "node:fs";
import type { Organization } from "../accounts/records.ts";
import { dollars } from "../contract/money.ts";
import { isSound } from "../ledger/audit.ts";
import { systemClock } from "../lib/clock.ts";
import { createLogger } from "../lib/log.ts";
import { lockDataDir } from "../storage/data-lock.ts";
import { openStorage, type Storage } from "../storage/open.ts";
import { composeBooks } from "./compose-books.ts";
import type { OperatorFlags } from "./program.ts";
import { readConfig, StartError, withFlags } from "./read-config.ts";

type Print = (text: string) => void;

/** `turnpike ledger verify`: recomputes the books and ends with 1 if anything differs. It changes nothing. */
export const verifyLedger = (flags: OperatorFlags, print: Print): Promise<number> =>
  withStorage(flags, false, async (storage) => {
    const findings = await storage.audit.verify(systemClock.nowMs());
    const sound = isSound(findings);
    if (flags.json) print(JSON.stringify({ ok: sound, findings }, null, 2));
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
    const { rows, total } = await storage.ledger.list(organizationId, { page: 1, pageSize: 50 });
    if (flags.json) {
      const plain = (_: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value);
      print(JSON.stringify({ organization: organization.name, wallet, entries: rows, total }, plain, 2));
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

/** By its id, its slug or its name. */
async function findOrganization({ accounts }: Storage, wanted: string): Promise<Organization> {
  const byId = await accounts.organizations.find(wanted);
  if (byId) return byId;
  const { rows } = await accounts.organizations.list({ search: wanted }, { page: 1, pageSize: 100 });
  const [found, ...others] = rows.filter(({ slug, name }) => slug === wanted || name === wanted);
  if (!found) throw new StartError(`There is no organization ${wanted}.`);
  if (others.length > 0) throw new StartError(`${wanted} names ${rows.length} organizations; name it by its id.`);
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
    if (flags.json) print(JSON.stringify(report, null, 2));
    else {
      print(`${report.calls} calls found, ${report.settled} of them new, ${report.aborted} had not ended.`);
      if (report.tornBytes > 0) print(`${report.tornBytes} bytes at the end of files were cut off.`);
      for (const path of report.setAside) print(`has records that cannot be settled; set aside: ${path}`);
    }
    return report.setAside.length === 0 ? 0 : 1;
  });

/** Beside a running server only where nothing is written that it has in its hands. */
async function withStorage(
  flags: OperatorFlags,
  alone: boolean,
  work: (storage: Storage, dataDir: string) => Promise<number>,
): Promise<number> {
  const { config } = readConfig(flags.config ?? null, withFlags(process.env, flags));
  const { dataDir, databaseUrl, databaseTimeoutMs } = config;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = alone ? lockDataDir(dataDir) : null;
  const storage = openStorage({ databaseUrl, dataDir, timeoutMs: databaseTimeoutMs });
  try {
    return await work(storage, dataDir);
  } finally {
    await storage.close();
    lock?.release();
  }
}
