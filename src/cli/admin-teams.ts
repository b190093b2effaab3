import type { Command } from "commander";
import type { TeamRecord } from "../contract/organizations.ts";
import { COMMAND } from "../lib/command-name.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";

type Listed = TeamRecord & { readonly organizationName: string };

const PATH = "/api/admin/teams";
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Teams of any organization: which there are, blocked or not. */
export function addAdminTeams(admin: Command, act: Act): void {
  const teams = admin.command("teams").description("teams of any organization");

  withPages(teams.command("list").description("list teams"))
    .option("--search <text>", "part of the name")
    .action(
      act(async ({ api, output }, flags: PageFlags & { search?: string }) => {
        output.list(await api.get<Page<Listed>>(PATH, { ...pageQuery(flags), search: flags.search }), {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          ORGANIZATION: ({ organizationName }) => organizationName,
          STATUS: ({ status }) => status,
        });
      }),
    );

  addSwitch(teams, act, "block", "refuse all calls of a team until it is unblocked");
  addSwitch(teams, act, "unblock", "let a team call again");
}

function addSwitch(teams: Command, act: Act, verb: "block" | "unblock", what: string): void {
  teams
    .command(verb)
    .description(what)
    .argument("<team>", "its id, or its name where only one team has it")
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const id = encodeURIComponent(await findTeamId({ api }, wanted));
        const team = await api.send<TeamRecord>("POST", `${PATH}/${id}/${verb}`);
        output.done(team, `${team.name} is ${team.status}.`);
      }),
    );
}

/** Names are an organization's own, so several may have the same; ids that others gave out may look like names. */
async function findTeamId({ api }: Pick<Context, "api">, wanted: string): Promise<string> {
  if (ID.test(wanted)) return wanted;
  const teams = await api.getAll<Listed>(PATH, { search: wanted.slice(0, 100) });
  const found = teams.filter(({ name }) => name === wanted);
  const hint = `See: ${COMMAND} admin teams list`;
  if (found.length > 1) throw usageError(`"${wanted}" names ${found.length} teams.`, `Name it by its id. ${hint}`);
  if (found[0]) return found[0].id;
  if (/^[\w.-]{1,64}$/.test(wanted)) return wanted;
  throw new CliError(EXIT.notFound, "NOT_FOUND", `There is no team "${wanted}".`, { hint });
}
