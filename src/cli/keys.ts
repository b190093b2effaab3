import { type Command, Option } from "commander";
import type { ApiKeyRecord, FreshKeyRecord } from "../contract/keys.ts";
import { COMMAND } from "../lib/command-name.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";
import { keyFields } from "./key-fields.ts";
import { type LimitFlags, limitBody, limitRemarks, withLimits } from "./limit-flags.ts";
import { guardrailList, modelList, modelRemarks } from "./model-list.ts";
import { EXPIRY, expiryReader, orNever, readSeconds } from "./read-expiry.ts";
import { requireChanges } from "./require-changes.ts";
import { type RotationFlags, rotationBody, withRotation } from "./rotation-flags.ts";
import { findTeamId, teamNames } from "./teams.ts";

const KEY = "its id, handle or name";
const DIRECT = /^(sk-.*|[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

interface KeyFlags extends LimitFlags, RotationFlags {
  readonly models?: string[];
  readonly guardrails?: string[];
  readonly expires?: string;
}

/** API keys. A key's value is shown once, when it is made or rotated. */
export function addKeys(program: Command, act: Act): void {
  const keys = program.command("keys").description("API keys");
  addReading(keys, act);
  addCreating(keys, act);
  addChanging(keys, act);
}

function addReading(keys: Command, act: Act): void {
  withPages(keys.command("list").description("list keys, the newest first"))
    .option("--team <team>", "only those of one team")
    .option("--search <text>", "part of the name or of the last four characters")
    .addOption(new Option("--status <status>", "only those that are so").choices(["active", "disabled", "expired"]))
    .action(
      act(async ({ api, output }, flags: PageFlags & { team?: string; search?: string; status?: string }) => {
        const { team, search, status } = flags;
        const teamId = team === undefined ? undefined : await findTeamId({ api }, team);
        const query = { ...pageQuery(flags), search, status, teamId };
        const names = await teamNames({ api });
        output.list(await api.get<Page<ApiKeyRecord>>("/api/api-keys", query), {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          KEY: ({ maskedToken }) => maskedToken,
          STATUS: ({ status: now }) => now,
          "LAST USED": ({ lastUsedAt }) => lastUsedAt,
          EXPIRES: ({ expiresAt }) => expiresAt,
          TEAM: ({ teamId: of }) => names.get(of) ?? of,
        });
      }),
    );

  keys
    .command("show")
    .alias("get")
    .description("show a key's settings; its value is not kept")
    .argument("<key>", KEY)
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const key = await api.get<ApiKeyRecord>(await keyPath({ api }, wanted));
        output.record(key, keyFields(key, await teamNames({ api })), key.id);
      }),
    );
}

function addCreating(keys: Command, act: Act): void {
  const create = keys
    .command("create")
    .description("create a key; with --quiet its value stands alone on stdout")
    .argument("<name>")
    .option("--team <team>", "the team's id or name; may be left out when there is only one")
    .option("--models <models...>", "the only models that it may call")
    .option("--guardrails <names...>", "guardrails that look at all its calls, beside those of its team");
  withRotation(withLimits(create))
    .option("--expires <time>", EXPIRY, expiryReader())
    .action(
      act(async ({ api, output }, flags: KeyFlags & { team?: string }, name: string) => {
        const { team, models } = flags;
        const expiresAt = orNever(flags.expires);
        const team_id = team === undefined ? await onlyTeamId({ api }) : await findTeamId({ api }, team);
        const settings = {
          models,
          guardrails: guardrailList(flags.guardrails),
          expiresAt,
          ...limitBody(flags),
          ...rotationBody(flags),
        };
        const made = await api.send<FreshKeyRecord>("POST", "/api/gw/api-keys", { name, team_id, ...settings });
        const teamName = (await teamNames({ api })).get(made.teamId) ?? made.teamId;
        output.record(made, { Key: made.key, Id: made.id, Name: made.name, Team: teamName }, made.key);
        output.note("Keep the key now: it is not shown again.");
        for (const remark of await remarksOf({ api }, made, models)) output.note(`Note: ${remark}`);
      }),
    );

  keys
    .command("rotate")
    .description("give a key a new value; with --quiet it stands alone on stdout")
    .argument("<key>", KEY)
    .option(
      "--grace <seconds>",
      "for how long the old value goes on, or such as 12h; seven days at most",
      readSeconds,
      0,
    )
    .action(
      act(async ({ api, output, prompt }, { grace: graceSeconds }: { grace: number }, wanted: string) => {
        const path = await keyPath({ api }, wanted);
        if (graceSeconds === 0) await prompt.confirm(`Rotate ${wanted}; its present value ends at once`);
        showFresh(output, await api.send<FreshKeyRecord>("POST", `${path}/rotate`, { graceSeconds }));
      }),
    );

  keys
    .command("pick-up")
    .description("show the value that a scheduled rotation has made, once; with --quiet it stands alone on stdout")
    .argument("<key>", KEY)
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        showFresh(output, await api.send<FreshKeyRecord>("POST", `${await keyPath({ api }, wanted)}/pick-up`));
      }),
    );
}

function showFresh(output: Context["output"], made: FreshKeyRecord): void {
  const until = made.previousValidUntil ?? "now";
  output.record(made, { Key: made.key, Id: made.id, Name: made.name, "Old value until": until }, made.key);
  output.note("Keep the key now: it is not shown again.");
}

function addChanging(keys: Command, act: Act): void {
  const update = keys
    .command("update")
    .description("change what a key may call and spend; what is not named stays")
    .argument("<key>", KEY)
    .option("--models <models...>", "the only models that it may call; all for all that its team may")
    .option("--guardrails <names...>", "guardrails that look at all its calls, or none");
  withRotation(withLimits(update))
    .option("--expires <time>", `${EXPIRY}, or never`, expiryReader())
    .action(
      act(async ({ api, output }, flags: KeyFlags, wanted: string) => {
        const lists = { models: modelList(flags.models), guardrails: guardrailList(flags.guardrails) };
        const expiresAt = orNever(flags.expires);
        const settings = requireChanges("keys update", {
          ...lists,
          expiresAt,
          ...limitBody(flags),
          ...rotationBody(flags),
        });
        const key = await api.send<ApiKeyRecord>("PATCH", await keyPath({ api }, wanted), settings);
        output.record(key, keyFields(key, await teamNames({ api })), key.id);
        for (const remark of await remarksOf({ api }, key, lists.models)) output.note(`Note: ${remark}`);
      }),
    );

  keys
    .command("rename")
    .description("give a key another name")
    .argument("<key>", KEY)
    .argument("<name>")
    .action(
      act(async ({ api, output }, _: object, wanted: string, name: string) => {
        const token = await findKeyReference({ api }, wanted);
        const key = await api.send<ApiKeyRecord>("POST", "/api/api-keys/update", { token, name });
        output.done(key, `The key is called ${key.name} now.`);
      }),
    );

  keys
    .command("disable")
    .description("switch a key off until it is enabled again")
    .argument("<key>", KEY)
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const path = await keyPath({ api }, wanted);
        const key = await api.send<ApiKeyRecord>("POST", `${path}/disable`);
        output.done(key, `${key.name} is switched off; \`${COMMAND} keys enable\` switches it on again.`);
      }),
    );

  keys
    .command("enable")
    .description("switch a key on again")
    .argument("<key>", KEY)
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const key = await api.send<ApiKeyRecord>("POST", `${await keyPath({ api }, wanted)}/enable`);
        output.done(key, `${key.name} is switched on.`);
      }),
    );

  keys
    .command("remove")
    .alias("delete")
    .description("remove a key for good")
    .argument("<key>", KEY)
    .action(
      act(async ({ api, output, prompt }, _: object, wanted: string) => {
        const apiKey = await findKeyReference({ api }, wanted);
        await prompt.confirm(`Remove ${wanted.startsWith("sk-") ? "the key" : wanted} for good`);
        const answer = await api.send<object>("POST", "/api/api-keys/remove", { apiKey });
        output.done(answer, "The key is removed.");
      }),
    );
}

/** Names are for people: whatever is no id, handle or value is looked for among the keys. */
export async function findKeyReference({ api }: Pick<Context, "api">, wanted: string): Promise<string> {
  if (DIRECT.test(wanted)) return wanted;
  const keys = await api.getAll<ApiKeyRecord>("/api/api-keys", { search: wanted.slice(0, 100) });
  const found = keys.filter(({ name }) => name === wanted);
  if (found.length > 1) throw usageError(`"${wanted}" names ${found.length} keys.`, "Name it by its id.");
  const [key] = found;
  if (key) return key.id;
  throw new CliError(EXIT.notFound, "NOT_FOUND", `There is no key "${wanted}".`, { hint: `See: ${COMMAND} keys list` });
}

/** A key's value belongs in no path: those are written to logs on their way. */
async function keyPath({ api }: Pick<Context, "api">, wanted: string): Promise<string> {
  if (wanted.startsWith("sk-")) throw usageError("Name the key by its id, handle or name here.");
  return `/api/gw/api-keys/${encodeURIComponent(await findKeyReference({ api }, wanted))}`;
}

const remarksOf = async ({ api }: Pick<Context, "api">, key: ApiKeyRecord, models: readonly string[] | undefined) => [
  ...limitRemarks(key),
  ...(await modelRemarks({ api }, models)),
];

async function onlyTeamId({ api }: Pick<Context, "api">): Promise<string> {
  const { data } = await api.get<Page<{ id: string; name: string }>>("/api/gw/teams", pageQuery({}));
  const [team] = data;
  if (team && data.length === 1) return team.id;
  throw data.length === 0
    ? usageError("There is no team for the key.", `Create one with: ${COMMAND} teams create NAME`)
    : usageError("There are several teams.", `Choose one with --team: ${data.map(({ name }) => name).join(", ")}`);
}
