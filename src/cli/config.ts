import type { Command } from "commander";
import { COMMAND } from "../lib/command-name.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import type { Act, Context } from "./context.ts";
import { checkProfileName, normalizeUrl, type Session } from "./session.ts";

interface Setting {
  readonly id: string;
  readonly value: string | null;
  /** A flag, a variable, `config` for the settings file, what was done, or `default`; null for what is not set. */
  readonly source: string | null;
}

const NAME = "url or profile";

/** What is kept on this machine; `config check` looks at a server's file and is the other half's. */
export function addConfig(program: Command, act: Act): void {
  const config = program.commands.find((command) => command.name() === "config") ?? program.command("config");
  for (const command of [config, ...config.commands]) command.copyInheritedSettings(program);
  addReading(config, act);

  config
    .command("set")
    .description("keep a setting: the url of a profile, or the profile to use where none is named")
    .argument("<name>", NAME)
    .argument("<value>")
    .action(
      act(async ({ session, output }, _: object, name: string, value: string) => {
        const kept = keep(session, name, value);
        output.done({ name, value: kept, profile: session.profileName }, `${name} is ${kept}.`);
        const winner = name === "url" ? session.urlSource : session.profileSource;
        if (winner.startsWith("TURNPIKE_")) output.note(`Note: ${winner} is set, and wins over it.`);
      }),
    );

  config
    .command("unset")
    .description("forget a setting")
    .argument("<name>", NAME)
    .action(
      act(async ({ session, output }, _: object, name: string) => {
        keep(session, name, undefined);
        output.done({ name, value: null, profile: session.profileName }, `${name} is not set any more.`);
      }),
    );
}

function addReading(config: Command, act: Act): void {
  config
    .command("list")
    .alias("show")
    .description("list the settings in use and where each was said; secrets are not shown")
    .action(
      act(async (context) => {
        const data = settingsOf(context);
        const columns = { NAME: row("id"), VALUE: row("value"), FROM: row("source") };
        context.output.listAll(data, columns);
      }),
    );

  config
    .command("get")
    .description("print one setting that is in use")
    .argument("<name>", "as `config list` shows it")
    .action(
      act(async (context, _: object, name: string) => {
        const { output } = context;
        const settings = settingsOf(context);
        const found = settings.find(({ id }) => id === name);
        if (!found)
          throw usageError(`There is no setting ${name}.`, `There are: ${settings.map(({ id }) => id).join(", ")}`);
        if (found.value === null) {
          throw new CliError(EXIT.notFound, "NOT_FOUND", `${name} is not set.`, {
            hint: `See: ${COMMAND} config list`,
          });
        }
        output.data(output.json ? JSON.stringify(found) : found.value);
      }),
    );

  config
    .command("path")
    .description("print where the settings are kept")
    .action(
      act(async ({ session: { files }, output }) => {
        const { path, credentialsPath: credentials } = files;
        output.data(output.json ? JSON.stringify({ path, credentials }) : path);
      }),
    );
}

const row =
  (field: keyof Setting) =>
  (setting: Setting): string | null =>
    setting[field];

function settingsOf({ session, env }: Pick<Context, "session" | "env">): readonly Setting[] {
  const { files, profileName } = session;
  const { email = null, organizationId = null } = files.profile(profileName);
  const token = session.isFromEnvironment ? "TURNPIKE_TOKEN" : session.isKept ? "login" : null;
  const key = env.TURNPIKE_KEY ? "set" : null;
  return [
    { id: "profile", value: profileName, source: session.profileSource },
    { id: "url", value: session.url, source: session.urlSource },
    { id: "email", value: email, source: email && "login" },
    { id: "organization", value: organizationId, source: organizationId && "orgs use" },
    { id: "token", value: token && "set", source: token },
    { id: "key", value: key, source: key && "TURNPIKE_KEY" },
    { id: "profiles", value: files.profileNames().join(", ") || null, source: "config" },
  ];
}

/** Undefined forgets it. */
function keep({ files, profileName }: Session, name: string, value: string | undefined): string | undefined {
  if (name === "url") {
    const { url: _, ...others } = files.profile(profileName);
    const url = value === undefined ? undefined : normalizeUrl(value);
    files.saveProfile(profileName, url === undefined ? others : { ...others, url });
    return url;
  }
  if (name !== "profile")
    throw usageError(
      `${name} cannot be set.`,
      `What can be set: ${NAME}. Secrets come by \`${COMMAND} login\` and TURNPIKE_KEY.`,
    );
  if (value !== undefined) checkProfileName(value);
  files.saveDefaultProfile(value);
  return value;
}
