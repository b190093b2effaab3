import Type from "typebox";
import { STATEMENT_GROUPS, type Statement } from "../../billing/statement.ts";
import type { Statements } from "../../billing/statements.ts";
import { formatUsd } from "../../contract/money.ts";
import { isoTime } from "../../contract/users.ts";
import { route } from "../../http/route.ts";
import type { CsvCell } from "../../lib/csv.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { FormatQuery, type PaperDocument, reply } from "./document.ts";
import { localTime } from "./local-time.ts";

export const getStatement = (statements: Statements) =>
  route({
    method: "GET",
    paths: ["/api/billing/statements/{month}"],
    tag: "Billing",
    summary: "Show the statement of a month",
    description:
      "Such as `2026-11`, from its first to its last moment in the organization's time zone: the balance at the beginning, " +
      "what was bought, granted and given back, usage by model and team, and the balance at the end. It adds up to the " +
      "nano-USD. Needs the role admin or owner.",
    auth: "session",
    params: Type.Object({ month: Type.String() }),
    query: FormatQuery,
    success: Type.Object({}, { additionalProperties: true }),
    errors: ["permission", "not_found"],
    async handle({ caller, params, query, request }) {
      const statement = await statements.statement(caller, namedOrganization(request), params.month);
      return reply(draw(statement), query.format ?? "json");
    },
  });

const TITLES = {
  purchases: "Purchases",
  grants: "Grants and vouchers",
  refunds: "Refunds and disputes",
  adjustments: "Adjustments",
  usage: "Usage",
} as const;

function draw(statement: Statement): PaperDocument {
  const { opening, closing, timezone, month, organizationName, totals, lines, usage } = statement;
  const time = (ms: number): string => localTime(timezone, ms);
  return {
    title: `Statement ${month}`,
    fileName: `statement-${month}`,
    facts: [
      ["Organization", organizationName],
      ["From", time(statement.startMs)],
      ["To", time(statement.endMs)],
      ["Time zone", timezone],
      ["Opening balance, USD", formatUsd(opening)],
      ...STATEMENT_GROUPS.map((group) => [`${TITLES[group]}, USD`, formatUsd(totals[group])] as const),
      ["Closing balance, USD", formatUsd(closing)],
    ],
    tables: [
      {
        title: "Entries",
        columns: ["Time", "Kind", "For", "USD"],
        rows: lines.map(({ at, kind, reason, amount }) => [time(at), kind, reason, formatUsd(amount)]),
      },
      {
        title: "Usage by model and team",
        columns: ["Model", "Team", "Calls", "USD"],
        rows: usage.map(({ model, teamName, calls, cost }) => [model, teamName ?? "-", calls, formatUsd(cost)]),
      },
    ],
    csv: [
      ["time", "kind", "description", "team", "calls", "amount_nano_usd", "amount_usd"],
      [isoTime(statement.startMs), "opening_balance", "", "", "", ...amountCells(opening)],
      ...lines.map((line) => [isoTime(line.at), line.kind, line.reason, "", "", ...amountCells(line.amount)]),
      ...usage.map((row) => ["", "usage", row.model, row.teamName ?? "", row.calls, ...amountCells(-row.cost)]),
      [isoTime(statement.endMs), "closing_balance", "", "", "", ...amountCells(closing)],
    ],
    json: toJson(statement),
  };
}

const amountCells = (nano: bigint): readonly CsvCell[] => [{ digits: String(nano) }, { digits: formatUsd(nano) }];

const toJson = (statement: Statement): object => ({
  organizationId: statement.organizationId,
  organizationName: statement.organizationName,
  month: statement.month,
  timezone: statement.timezone,
  startsAt: isoTime(statement.startMs),
  endsAt: isoTime(statement.endMs),
  ...amountOf("openingBalance", statement.opening),
  totals: Object.fromEntries(STATEMENT_GROUPS.map((group) => [group, Number(statement.totals[group])])),
  entries: statement.lines.map(({ id, at, kind, reason, amount }) => ({
    id,
    at: isoTime(at),
    kind,
    reason,
    ...amountOf("amount", amount),
  })),
  usage: statement.usage.map(({ model, teamId, teamName, calls, cost }) => ({
    model,
    teamId,
    teamName,
    calls,
    ...amountOf("cost", cost),
  })),
  ...amountOf("closingBalance", statement.closing),
});

const amountOf = (name: string, nano: bigint) => ({ [name]: Number(nano), [`${name}Usd`]: formatUsd(nano) });
