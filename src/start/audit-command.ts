import { join } from "node:path";
import { readSeal } from "../accounts/audit-chain.ts";
import { isKnown, SecretMismatchError } from "../accounts/first-start.ts";
import { deriveSecrets } from "../accounts/secrets.ts";
import type { AccountStores } from "../accounts/store.ts";
import { type ChainReport, verifyAuditChain } from "../accounts/verify-audit-chain.ts";
import type { Config } from "../config/config.ts";
import { SECRET_FILE } from "../storage/secret-file.ts";
import { loadSecrets } from "./data-folder.ts";
import { requireThere, withStorage } from "./ledger-commands.ts";
import type { OperatorFlags } from "./program.ts";
import { StartError } from "./start-error.ts";

/** `turnpike audit verify`: recomputes the chain and ends with 1 if anything differs. It changes nothing. */
export function verifyAudit(
  flags: OperatorFlags & { readonly head?: string },
  print: (text: string) => void,
): Promise<number> {
  const noted = readSeal(flags.head ?? "");
  if (flags.head !== undefined && noted === null)
    throw new StartError("--head wants the number and the hash of a row: 17:0a1b...", "USAGE_ERROR");
  return withStorage(flags, false, async ({ accounts, auditChain }, _, config) => {
    const report = await verifyAuditChain(auditChain, await requireAuditKey(config, accounts), noted);
    if (flags.json) print(JSON.stringify(report));
    else for (const line of chainLines(report)) print(line);
    return report.ok ? 0 : 1;
  });
}

/** Of the secret that the database was set up with; with another one nothing in it could be verified. */
export async function requireAuditKey(config: Config, accounts: AccountStores): Promise<Uint8Array> {
  const { auditKey, fingerprint } = deriveSecrets(secretOf(config));
  await isKnown(accounts, fingerprint).catch((thrown) => {
    throw thrown instanceof SecretMismatchError ? new StartError(thrown.message) : thrown;
  });
  return auditKey;
}

/** Without the secret every row would look changed; who verifies makes none. */
function secretOf(config: Config): string {
  if (config.keys.secret !== null) return config.keys.secret;
  requireThere(join(config.dataDir, SECRET_FILE), `There is no ${SECRET_FILE} in ${config.dataDir}`);
  return loadSecrets(config).secret;
}

export function chainLines({ ok, head, firstDifference, missing, missingRows, ...report }: ChainReport): string[] {
  const lines = [
    `${ok ? "ok     " : "DIFFERS"} verified up to row ${report.verifiedUpTo}; ${report.sealed} rows are there`,
  ];
  if (firstDifference) {
    const { seq, id, what } = firstDifference;
    lines.push(`        first difference: row ${seq}${id === null ? "" : ` (${id})`}: ${what}`);
    if (report.differences > 1) lines.push(`        and ${report.differences - 1} more`);
  }
  if (missingRows > 0) {
    const ranges = missing.map(({ from, to }) => (from === to ? from : `${from} to ${to}`));
    lines.push(`        missing rows: ${missingRows} (${ranges.join(", ")})`);
  }
  if (report.removedUpTo > 0) lines.push(`        removed by retention: rows up to ${report.removedUpTo}`);
  if (report.noted !== null) lines.push(`        the row that was noted: ${report.noted}`);
  if (report.unsealed > 0) lines.push(`        not sealed yet, so not checked: ${report.unsealed}`);
  if (head.seq > 0) lines.push(`        it ends with ${head.seq}:${head.hash}`);
  return lines;
}
