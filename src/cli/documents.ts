import { dollarText } from "../contract/money.ts";

export interface Receipt {
  readonly id: string;
  readonly organizationName: string;
  readonly paidAt: string;
  readonly provider: string;
  readonly mode: string;
  readonly totalCents: number;
  readonly currency: string;
  readonly amountUsd: string;
  readonly refundedUsd: string;
}

export interface Statement {
  readonly organizationName: string;
  readonly month: string;
  readonly timezone: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly openingBalanceUsd: string;
  readonly closingBalanceUsd: string;
  readonly entries: readonly {
    readonly at: string;
    readonly kind: string;
    readonly reason: string;
    readonly amountUsd: string;
  }[];
  readonly usage: readonly {
    readonly model: string;
    readonly teamName: string | null;
    readonly calls: number;
    readonly costUsd: string;
  }[];
}

export function receiptLines(receipt: Receipt): readonly string[] {
  return facts({
    Receipt: receipt.id,
    Organization: receipt.organizationName,
    Paid: `${receipt.paidAt} through ${receipt.provider}${receipt.mode === "test" ? " (test mode: no money moved)" : ""}`,
    Total: `${(receipt.totalCents / 100).toFixed(2)} ${receipt.currency.toUpperCase()}`,
    Credits: dollarText(receipt.amountUsd),
    "Given back": dollarText(receipt.refundedUsd),
  });
}

export function statementLines(statement: Statement): readonly string[] {
  const { entries, usage } = statement;
  const entryRows = entries.map(({ at, kind, reason, amountUsd }) => [at, kind, reason, dollarText(amountUsd)]);
  const usageRows = usage.map(({ model, teamName, calls, costUsd }) => [
    model,
    teamName ?? "-",
    `${calls} ${calls === 1 ? "call" : "calls"}`,
    dollarText(costUsd),
  ]);
  return [
    ...facts({
      Statement: statement.month,
      Organization: statement.organizationName,
      From: statement.startsAt,
      To: `${statement.endsAt} (${statement.timezone})`,
      Opening: dollarText(statement.openingBalanceUsd),
    }),
    ...section("Entries", entryRows),
    ...section("Usage", usageRows),
    "",
    ...facts({ Closing: dollarText(statement.closingBalanceUsd) }),
  ];
}

const facts = (fields: Readonly<Record<string, string>>): string[] =>
  Object.entries(fields).map(([name, value]) => name.padEnd(14) + value);

/** Columns one below the other; the last one, which is money, on the right. */
function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => Bun.stringWidth(row[at] ?? ""))));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => {
        const blank = " ".repeat((widths[at] ?? 0) - Bun.stringWidth(cell));
        return at === row.length - 1 ? blank + cell : cell + blank;
      })
      .join("  "),
  );
  return ["", title, ...lines.map((line) => `  ${line}`)];
}
