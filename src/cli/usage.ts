import { type Command, Option } from "commander";
import { dollarText } from "../contract/money.ts";
import type { UsageSumsRecord } from "../contract/usage-records.ts";
import type { Act } from "./context.ts";
import { type FilterFlags, filterQuery, withFilter } from "./logs.ts";
import type { Columns } from "./output.ts";

interface Row extends UsageSumsRecord {
  readonly start: string;
  readonly bucket?: string;
  readonly [group: string]: unknown;
}

interface Report {
  readonly data: readonly Row[];
  readonly totals: UsageSumsRecord;
  readonly meta: { readonly groupBy: readonly string[]; readonly startDate: string; readonly endDate: string };
}

const BAR_CHARS = 20;

/** How a group shows: its name, or its id where it has none any more. */
const GROUP_FIELDS: Readonly<Record<string, readonly string[]>> = {
  model: ["model"],
  apiKey: ["apiKeyName", "apiKeyId"],
  team: ["teamName", "teamId"],
  user: ["userEmail", "userId"],
  member: ["userEmail", "userId"],
  provider: ["provider"],
  type: ["type"],
  status: ["status"],
  endpoint: ["endpoint"],
  tag: ["tag"],
};

const GROUP_HEADINGS: Readonly<Record<string, string>> = { apiKey: "API KEY" };

/** What was used and what it cost, summed up. */
export function addUsage(program: Command, act: Act): void {
  withFilter(program.command("usage").description("sum up usage; the last 30 days unless told"))
    .option(
      "--group-by <names>",
      "one or more of model, apiKey, team, member, provider, type, status, endpoint, tag, with commas between",
    )
    .addHelpText(
      "after",
      "\nFor whoever runs the server, on its machine and while it is stopped:\n" +
        "  usage replay [--data-dir DIR]       settle what ended processes left in the journal",
    )
    .addOption(new Option("--bucket <size>", "cut time into these").choices(["hour", "day", "week", "month"]))
    .action(
      act(async (context, flags: FilterFlags & { groupBy?: string; bucket?: string }) => {
        const { api, output } = context;
        const { groupBy, bucket } = flags;
        const query = { ...(await filterQuery(context, flags)), groupBy, bucket };
        const report = await api.get<Report>("/api/gw/usage", query);
        if (output.format === "json" || output.isBare) {
          output.data(output.isBare ? report.totals.costUsd : JSON.stringify(report));
          return;
        }
        const rows = report.data.map((row) => ({ ...row, id: row.start }));
        const { totals } = report;
        output.listAll(rows, columnsOf(report, output.isTable));
        output.note(`${totals.requests} requests, ${totals.totalTokens} tokens, ${dollarText(totals.costUsd)} in all.`);
      }),
    );
}

function columnsOf({ data, meta }: Report, bars: boolean): Columns<Row> {
  const most = Math.max(1, ...data.map(({ cost }) => cost));
  const groups = meta.groupBy.map(
    (name) => [GROUP_HEADINGS[name] ?? name.toUpperCase(), (row: Row) => groupText(row, name)] as const,
  );
  return {
    ...(data.some(({ bucket }) => bucket !== undefined) ? { TIME: ({ bucket }: Row) => bucket ?? null } : {}),
    ...Object.fromEntries(groups),
    REQUESTS: ({ requests }) => requests,
    FAILED: ({ failedRequests }) => failedRequests,
    TOKENS: ({ totalTokens }) => totalTokens,
    COST: ({ costUsd }) => dollarText(costUsd),
    // The longest bar is the dearest row; whatever cost anything shows. Other programs have no use for them, and one row
    // has nothing to be compared with.
    ...(bars && data.length > 1 ? { "": ({ cost }: Row) => "█".repeat(Math.ceil((cost / most) * BAR_CHARS)) } : {}),
  };
}

function groupText(row: Row, name: string): string | null {
  const value = (GROUP_FIELDS[name] ?? [name]).map((field) => row[field]).find((found) => found !== null);
  if (value !== undefined) return String(value);
  // Calls that were refused before anybody was chosen to answer them.
  return name === "model" || name === "provider" ? "none reached" : null;
}
