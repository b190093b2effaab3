import type { Command } from "commander";
import type { OrganizationRecord } from "../contract/organizations.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT } from "./cli-error.ts";
import { type Act, type PageFlags, pageQuery, withPages } from "./context.ts";

/** Organizations: which there are, and which one to work in. */
export function addOrgs(program: Command, act: Act): void {
  const orgs = program.command("orgs").description("organizations");

  withPages(orgs.command("list").description("list your organizations")).action(
    act(async ({ api, session, output }, flags: PageFlags) => {
      const page = await api.get<Page<OrganizationRecord>>("/api/gw/organizations/list", pageQuery(flags));
      const chosen = session.files.profile(session.profileName).organizationId;
      output.list(page, {
        ID: ({ id }) => id,
        NAME: ({ id, name }) => (id === chosen ? `${name} (in use)` : name),
        ROLE: ({ role }) => role,
        STATUS: ({ status }) => status,
        MEMBERS: ({ membersCount }) => membersCount,
        TEAMS: ({ teamsCount }) => teamsCount,
      });
    }),
  );

  orgs
    .command("use")
    .description("choose the organization to work in")
    .argument("<organization>", "its id, slug or name")
    .action(
      act(async ({ api, session, output }, _: object, wanted: string) => {
        const { data } = await api.get<Page<OrganizationRecord>>("/api/gw/organizations/list", pageQuery({}));
        const named = data.filter(({ id, slug, name }) => [id, slug, name].includes(wanted));
        if (named.length > 1) {
          throw new CliError(EXIT.usage, "USAGE_ERROR", `"${wanted}" names ${named.length} organizations.`, {
            hint: "Name it by its id: turnpike orgs list",
          });
        }
        const organizationId = named[0]?.id ?? wanted;
        const used = await api.send<OrganizationRecord>("POST", "/api/gw/organizations/active", { organizationId });
        if (!session.isFromEnvironment) {
          const { files, profileName } = session;
          files.saveProfile(profileName, { ...files.profile(profileName), organizationId: used.id });
        }
        output.done(used, `You now work in ${used.name}.`);
      }),
    );

  orgs
    .command("create")
    .description("create an organization; you are its owner")
    .argument("<name>")
    .action(
      act(async ({ api, output }, _: object, name: string) => {
        const made = await api.send<OrganizationRecord>("POST", "/api/gw/organizations", { name });
        output.record(made, { Id: made.id, Name: made.name, Slug: made.slug, Role: made.role }, made.id);
        output.note(`Work in it with: turnpike orgs use ${made.slug}`);
      }),
    );
}
