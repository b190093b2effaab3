import Type from "typebox";
import { STATEMENT_GROUPS, type Statement } from "../../billing/statement.ts";
import type { Statements } from "../../billing/statements.ts";
import { formatUsd } from "../../contract/money.ts";
import type { SellerRecord } from "../../contract/purchases.ts";
import { isoTime } from "../../contract/users.ts";
import { route } from "../../http/route.ts";
import type { CsvCell } from "../../lib/csv.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { FormatQuery, reply } from "./document.ts";
import { entriesTable, entryRecord } from "./entries-table.ts";
import { localTimes } from "./local-time.ts";
import { type PaperDocument, sellerLines } from "./paper-document.ts";
import { summaryTable } from "./summary-table.ts";

export const getStatement = (statements: Statements, seller: SellerRecord | null) =>
  route({
    method: "GET",
    paths: ["/api/billing/statements/{month}"],
    tag: "Billing",
    summary: "Show the statement of a month",
    description:
      "Such as `2026-11`, from its first to its last moment in the organization's time zone: the balance at the beginning, " +
      "what was bought, granted and given back, usage by model and team, and the balance at the end. It adds up to the " +
      "nano-USD. A month that is over stays as it was told when the time zone is changed. With `format=pdf` to file away. " +
      "Needs the role admin or owner.",
    auth: "session",
    scope: "billing:read",
    params: Type.Object({ month: Type.String() }),
    query: FormatQuery,
    success: Type.Object({}, { additionalProperties: true }),
    errors: ["permission", "not_found"],
    async handle({ caller, params, query, request }) {
      const statement = await statements.statement(caller, namedOrganization(request), params.month);
      return reply(draw(statement, seller), query.format ?? "json");
    },
  });

const TITLES = {
  purchases: "Purchases",
  grants: "Grants and vouchers",
  refunds: "Refunds and disputes",
  adjustments: "Adjustments",
  usage: "Usage",
} as const;

function draw(statement: Statement, seller: SellerRecord | null): PaperDocument {
  const { opening, closing, timezone, month, organizationName, totals, lines, usage } = statement;
  const time = localTimes(timezone);
  return {
    seller: sellerLines(seller),
    title: `Statement ${month}`,
    fileName: `statement-${month}`,
    dateMs: statement.endMs,
    facts: [
      ["Organization", organizationName],
      ["From", time(statement.startMs)],
      ["To", time(statement.endMs)],
      ["Time zone", timezone],
      ...(statement.isOver ? [] : [["State", "Not final: the month is not over, and more may come."] as const]),
    ],
    tables: [
      summaryTable(
        [["Opening balance", opening], ...STATEMENT_GROUPS.map((group) => [TITLES[group], totals[group]] as const)],
        ["Closing balance", closing],
      ),
      entriesTable("Entries", lines, time),
      {
        title: "Usage by model and team",
        columns: [
          { name: "Model", kind: "words" },
          { name: "Team", kind: "words" },
          { name: "Calls", kind: "figure" },
          { name: "Charged (USD)", kind: "money" },
        ],
        rows: usage.map(({ model, teamName, calls, cost }) => [model, teamName ?? "-", calls, formatUsd(cost)]),
        total: ["Total", "", usage.reduce((sum, { calls }) => sum + calls, 0), formatUsd(-totals.usage)],
      },
    ],
    csv: [
      ["time", "kind", "description", "team", "calls", "amount_nano_usd", "amount_usd"],
      [isoTime(statement.startMs), "opening_balance", "", "", "", ...amountCells(opening)],
      ...lines.map((line) => [isoTime(line.at), line.kind, line.reason, "", "", ...amountCells(line.amount)]),
      ...usage.map((row) => ["", "usage", row.model, row.teamName ?? "", row.calls, ...amountCells(-row.cost)]),
      [isoTime(statement.endMs), "closing_balance", "", "", "", ...amountCells(closing)],
    ],
    json: toJson(statement, seller),
  };
}

const amountCells = (nano: bigint): readonly CsvCell[] => [{ digits: String(nano) }, { digits: formatUsd(nano) }];

const toJson = (statement: Statement, seller: SellerRecord | null): object => ({
  organizationId: statement.organizationId,
  organizationName: statement.organizationName,
  month: statement.month,
  timezone: statement.timezone,
  startsAt: isoTime(statement.startMs),
  endsAt: isoTime(statement.endMs),
  ...amountOf("openingBalance", statement.opening),
  totals: Object.fromEntries(STATEMENT_GROUPS.map((group) => [group, Number(statement.totals[group])])),
  entries: statement.lines.map(entryRecord),
  usage: statement.usage.map(({ model, teamId, teamName, calls, cost }) => ({
    model,
    teamId,
    teamName,
    calls,
    ...amountOf("cost", cost),
  })),
  ...amountOf("closingBalance", statement.closing),
  isOver: statement.isOver,
  seller,
});

const amountOf = (name: string, nano: bigint) => ({ [name]: Number(nano), [`${name}Usd`]: formatUsd(nano) });
