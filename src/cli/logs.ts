import { type Command, Option } from "commander";
import { dollarText } from "../contract/money.ts";
import { shownModel } from "../contract/shown-model.ts";
import { CALL_STATUSES } from "../contract/usage.ts";
import type { CallRecord } from "../contract/usage-records.ts";
import { sleep } from "../lib/sleep.ts";
import type { Page, Query } from "./api.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";
import { print } from "./download.ts";
import { findKeyReference } from "./keys.ts";
import type { Columns } from "./output.ts";
import { findTeamId } from "./teams.ts";

const POLL_MS = 2_000;
const FOLLOWED_ROWS = 20;
/** Calls are noted when they end: one that began earlier may show up later. */
const LATE_MS = 10 * 60 * 1000;
const EXPORT_TIMEOUT_MS = 24 * 60 * 60 * 1000;

export interface FilterFlags {
  readonly from?: string;
  readonly to?: string;
  readonly tz?: string;
  readonly key?: string;
  readonly team?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly status?: string;
}

const COLUMNS: Columns<CallRecord> = {
  TIME: ({ createdAt }) => createdAt,
  ID: ({ id }) => id,
  STATUS: statusText,
  MODEL: shownModel,
  KEY: ({ apiKeyName }) => apiKeyName,
  IN: ({ promptTokens }) => promptTokens,
  OUT: ({ completionTokens }) => completionTokens,
  COST: ({ costUsd }) => dollarText(costUsd),
  MS: (call) => (isCutOff(call) ? null : call.latencyMs),
  // Turnpike's own cache, of whole answers; what providers remember of prompts is another thing.
  CACHE: ({ cacheHit }) => (cacheHit ? "hit" : null),
};

/** The server ended before the call did: nobody was answered, and how long it took nobody knows. */
const isCutOff = ({ status }: CallRecord): boolean => status === "aborted";

function statusText(call: CallRecord): string {
  return isCutOff(call) ? call.status : `${call.status} ${call.statusCode}`;
}

/** What was called. */
export function addLogs(program: Command, act: Act): void {
  const logs = withPages(withFilter(program.command("logs").description("calls, the newest first")))
    .option("--follow", `go on with calls as they come in, after ${FOLLOWED_ROWS} or --page-size of them`)
    .action(
      act(async (context, flags: FilterFlags & PageFlags & { follow?: boolean }) => {
        const query = await filterQuery(context, flags);
        if (flags.follow) return follow(context, query, flags.pageSize ?? FOLLOWED_ROWS);
        const page = await context.api.get<Page<CallRecord>>("/api/gw/logs", { ...query, ...pageQuery(flags) });
        context.output.list(page, COLUMNS);
      }),
    );

  logs
    .command("get")
    .description("show a call with its attempts and what each part of it cost")
    .argument("<id>", "the id of the request, which its answer carried as x-gw-call-id")
    .action(
      act(async ({ api, output }, _: object, id: string) => {
        const call = await api.get<CallRecord>(`/api/gw/logs/${encodeURIComponent(id)}`);
        output.record(call, callFields(call), call.id);
      }),
    );

  withFilter(logs.command("export").description("write calls to stdout, the oldest first"))
    .addOption(new Option("--format <format>", "how they are written; csv unless told").choices(["csv", "jsonl"]))
    .action(
      act(async (context, flags: FilterFlags & { format?: string }) => {
        const format = flags.format ?? (context.output.json ? "jsonl" : "csv");
        const query = { ...(await filterQuery(context, withParent(logs, flags))), format };
        await writeExport(context, query);
      }),
    );
}

export const withFilter = (command: Command): Command =>
  command
    .option("--from <time>", "a date (2026-01-31) or a time with its zone")
    .option("--to <time>", "a date, that day included, or a time, which is not")
    .option("--tz <zone>", "the time zone of dates, such as Europe/Berlin; the organization's unless told")
    .option("--key <key>", "only those of one key: its id, handle or name")
    .option("--team <team>", "only those of one team")
    .option("--model <model>", "only those of one model")
    .option("--provider <id>", "only those of one provider")
    .addOption(
      new Option("--status <status>", "only those that ended so").choices([...CALL_STATUSES, "success", "failure"]),
    );

export async function filterQuery({ api }: Pick<Context, "api">, flags: FilterFlags): Promise<Query> {
  const { from: startDate, to: endDate, tz, key, team, model, provider, status } = flags;
  const apiKey = key === undefined ? undefined : await findKeyReference({ api }, key);
  const teamId = team === undefined ? undefined : await findTeamId({ api }, team);
  return { startDate, endDate, tz, apiKey, teamId, model, provider, status };
}

/** Options that stand before the name of a subcommand are the parent's. */
const withParent = <T extends object>(parent: Command, flags: T): T & FilterFlags => ({ ...parent.opts(), ...flags });

/** `rows` of what is there already stand at the beginning. */
async function follow({ api, output }: Context, query: Query, rows: number): Promise<void> {
  const seen = new Set<string>();
  let since = query.startDate;
  for (let first = true; ; first = false) {
    const page = { ...query, startDate: since, cursor: "", pageSize: 100 };
    const { data } = await api.get<Page<CallRecord>>("/api/gw/logs", page);
    const fresh = data.filter(({ id }) => !seen.has(id));
    // What is older than the first rows shown is known too, or the next look would take it for news.
    for (const { id } of fresh) seen.add(id);
    output.stream((first ? fresh.slice(0, rows) : fresh).toReversed(), COLUMNS);
    const [newest] = data;
    if (newest) since = new Date(Date.parse(newest.createdAt) - LATE_MS).toISOString();
    await sleep(POLL_MS);
  }
}

function callFields(call: CallRecord): Record<string, string | number | null> {
  return {
    Id: call.id,
    Time: call.createdAt,
    Status: isCutOff(call)
      ? "aborted: the server ended before the call did"
      : `${call.status} ${call.statusCode}${call.errorCode === null ? "" : ` (${call.errorCode})`}`,
    Model: call.model,
    "Asked for": call.requestedModel,
    Provider: call.provider,
    Key: `${call.apiKeyName} (${call.apiKeyId})`,
    Team: call.teamName ?? call.teamId,
    "Answered from": call.cacheHit ? "the cache of answers; no provider was asked" : "a provider",
    Tokens: tokenText(call),
    Cost: `${dollarText(call.costUsd)}${call.estimated ? " (estimated)" : ""}`,
    ...Object.fromEntries(
      call.costBreakdown.map(({ component, units, unitPriceUsd, costUsd }) => [
        `  ${component}`,
        `${units} x $${unitPriceUsd} = ${dollarText(costUsd)}`,
      ]),
    ),
    "Price list": call.priceVersionId,
    Took: isCutOff(call)
      ? "not known"
      : `${call.latencyMs} ms${call.ttftMs === null ? "" : `, first byte after ${call.ttftMs} ms`}`,
    ...Object.fromEntries(
      call.attempts.map(({ provider, deploymentId, statusCode, error, latencyMs }, at) => [
        `Attempt ${at + 1}`,
        `${provider} ${deploymentId}: ${statusCode}${error === null ? "" : ` ${error}`}, ${latencyMs} ms`,
      ]),
    ),
  };
}

function tokenText({ promptTokens, completionTokens, cachedTokens }: CallRecord): string {
  const remembered = cachedTokens === 0 ? "" : ` (${cachedTokens} of them remembered by the provider)`;
  return `${promptTokens} in${remembered}, ${completionTokens} out`;
}

async function writeExport({ api }: Context, query: Query): Promise<void> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const path = `/api/gw/logs/export?${new URLSearchParams(Object.fromEntries(given))}`;
  await print(api, await api.fetch(path, { bearer: await api.token(), timeoutMs: EXPORT_TIMEOUT_MS }));
}
