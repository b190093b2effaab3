import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ChainReport, verifyAuditChain } from "../accounts/verify-audit-chain.ts";
import type { Config } from "../config/config.ts";
import { type Finding, isSound } from "../ledger/audit.ts";
import { systemClock } from "../lib/clock.ts";
import { COMMAND } from "../lib/command-name.ts";
import {
  CopyError,
  type CopyProgress,
  copyDatabase,
  type RowCounts,
  requireEmpty,
} from "../storage/copy/copy-database.ts";
import { openBackend, openStorage, type Storage } from "../storage/open.ts";
import { chainLines, requireAuditKey } from "./audit-command.ts";
import { findingLines, settleJournal, withStorageOf } from "./ledger-commands.ts";
import type { MoveFlags } from "./program.ts";
import { readConfig, withFlags } from "./read-config.ts";
import { asStartError, StartError } from "./start-error.ts";

interface Streams {
  readonly print: (text: string) => void;
  readonly progress: (text: string) => void;
  readonly isTerminal: boolean;
}

/** What of the data folder a server over PostgreSQL still needs, and how several of them have it. */
const STAYS = {
  "secrets.json": "for several servers TURNPIKE_SECRET and TURNPIKE_MASTER_KEY, with what stands in it",
  files: "what was uploaded; for several servers it goes into a bucket (general_settings.files_bucket)",
  training: "runs of trainings; the server that has this folder goes on with them",
} as const;

/** `turnpike move`: takes an installation over SQLite along to PostgreSQL; ends with 1 if the copy's books differ. */
export function move(flags: MoveFlags, streams: Streams): Promise<number> {
  const named = flags.to === undefined ? {} : { TURNPIKE_DATABASE_URL: flags.to };
  const { config } = readConfig(flags.config ?? null, { ...withFlags(process.env, flags), ...named });
  const { databaseUrl, databaseTimeoutMs: timeoutMs } = config;
  if (databaseUrl === null) {
    const words = "Where to? Name an empty PostgreSQL database with --to postgres://USER@HOST/DATABASE.";
    throw new StartError(words, "USAGE_ERROR");
  }
  const inWords = (thrown: unknown): never => {
    if (thrown instanceof CopyError) throw new StartError(thrown.message);
    throw asStartError(thrown, flags.to === undefined ? "TURNPIKE_DATABASE_URL" : "--to");
  };
  return withStorageOf({ ...config, databaseUrl: null }, flags, true, async (source, dataDir) => {
    const auditKey = await requireAuditKey(config, source.accounts);
    const from = openBackend({ databaseUrl: null, dataDir, timeoutMs });
    const to = openBackend({ databaseUrl, dataDir, timeoutMs });
    const target = openStorage({ databaseUrl, dataDir, timeoutMs });
    try {
      await to.withoutTimeLimit(requireEmpty).catch(inWords);
      const journal = await settleAll(source, dataDir);
      const lineEnd = () => streams.isTerminal && streams.progress("\n");
      const counts = await copyDatabase(from, to, teller(streams)).catch(inWords).finally(lineEnd);
      streams.progress("All rows are copied. The books and the audit log are verified next.\n");
      const findings = await target.audit.verify(systemClock.nowMs()).catch(inWords);
      const audit = await verifyAuditChain(target.auditChain, auditKey).catch(inWords);
      return report({ flags, config, databaseUrl, counts, journal, findings, audit }, streams.print);
    } finally {
      await Promise.all([from.close(), to.close(), target.close()]);
    }
  });
}

interface Journal {
  /** Calls that were settled before the copy. */
  readonly settled: number;
  readonly setAside: readonly string[];
}

/** A worker whose supervisor was killed goes on for a moment, and what it settles must not come after the copy. */
async function settleAll(source: Storage, dataDir: string): Promise<Journal> {
  const { settled, setAside, leftOut } = await settleJournal(source, dataDir);
  if (leftOut === 0) return { settled, setAside };
  throw new StartError(
    `${leftOut} folders in ${resolve(dataDir, "journal")} are in use by other processes, or cannot be locked. ` +
      "Wait until these processes have ended, and try again.",
  );
}

/** A line of a terminal is written over; elsewhere each tenth has one. */
function teller({ progress, isTerminal }: Streams): (at: CopyProgress) => void {
  let told = 0;
  return ({ table, rows, total }) => {
    const text = `${rows} of ${total} rows are copied (${table})`;
    const tenths = Math.floor((rows * 10) / total);
    if (isTerminal) progress(`\r\u001b[2K${text}`);
    else if (tenths > told) progress(`${text}\n`);
    told = tenths;
  };
}

interface Moved {
  readonly flags: MoveFlags;
  readonly config: Config;
  readonly databaseUrl: string;
  readonly counts: RowCounts;
  readonly journal: Journal;
  readonly findings: readonly Finding[];
  readonly audit: ChainReport;
}

function report(
  { flags, config, databaseUrl, counts, journal, findings, audit }: Moved,
  print: Streams["print"],
): number {
  const ok = isSound(findings) && audit.ok;
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const dataDir = resolve(config.dataDir);
  const stays = stayingOf(config);
  if (flags.json) {
    const ledger = { ok: isSound(findings), findings };
    print(JSON.stringify({ ok, rows, tables: Object.fromEntries(counts), ...journal, ledger, audit, dataDir, stays }));
    return ok ? 0 : 1;
  }
  print(`${rows} rows of ${counts.size} tables were copied, and are there; ${dataDir} has its own still.`);
  if (journal.settled > 0) print(`${journal.settled} calls that stood in the journal were settled first.`);
  for (const path of journal.setAside) print(`has records that cannot be settled; set aside: ${path}`);
  for (const line of [...findingLines(findings), ...chainLines(audit)]) print(line);
  if (!ok) {
    print("The copy is there, but what it holds differs. `ledger verify` and `audit verify` over SQLite, without");
    print("TURNPIKE_DATABASE_URL, say whether the data folder's did so before.");
    return 1;
  }
  print(`\nStart it with:  TURNPIKE_DATABASE_URL=${withoutPassword(databaseUrl)} ${COMMAND} serve`);
  if (stays.length > 0) print(`What ${dataDir} has beside the database is needed there too:`);
  for (const name of stays) print(`  ${name.padEnd(12)}  ${STAYS[name]}`);
  print("Start no server over the SQLite database any more: what is called there would not be known here.");
  return 0;
}

type Staying = keyof typeof STAYS;

function stayingOf({ dataDir, keys }: Config): readonly Staying[] {
  const isThere = (name: Staying): boolean => {
    const path = join(dataDir, name);
    if (name === "secrets.json") return keys.secret === null || keys.masterKey === null;
    return existsSync(path) && statSync(path).isDirectory() && readdirSync(path).length > 0;
  };
  return (Object.keys(STAYS) as Staying[]).filter(isThere);
}

/** A report may be kept where a password must not be. */
function withoutPassword(address: string): string {
  const url = new URL(address);
  if (url.password !== "") url.password = "PASSWORD";
  return url.href;
}
