import type { Command } from "commander";
import type { OrganizationRecord } from "../contract/organizations.ts";
import { COMMAND } from "../lib/command-name.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT } from "./cli-error.ts";
import { type Act, type PageFlags, pageQuery, withPages } from "./context.ts";
import { activeOrganizationId } from "./find-organization.ts";
import { budgetWindowOption, type Limit, limitFields, orNull, usdOrNone } from "./limit-flags.ts";
import { requireChanges } from "./require-changes.ts";

/** Organizations: which there are, and which one to work in. */
export function addOrgs(program: Command, act: Act): void {
  const orgs = program.command("orgs").description("organizations");

  withPages(orgs.command("list").description("list your organizations")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      const page = await api.get<Page<OrganizationRecord>>("/api/gw/organizations/list", pageQuery(flags));
      const chosen = await activeOrganizationId({ api });
      output.list(page, {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        ROLE: ({ role }) => role,
        STATUS: ({ status }) => status,
        MEMBERS: ({ membersCount }) => membersCount,
        TEAMS: ({ teamsCount }) => teamsCount,
        "IN USE": ({ id }) => (id === chosen ? "yes" : null),
      });
    }),
  );

  orgs
    .command("use")
    .description("choose the organization to work in")
    .argument("<organization>", "its id, slug or name")
    .action(
      act(async ({ api, session, output }, _: object, wanted: string) => {
        const mine = await api.getAll<OrganizationRecord>("/api/gw/organizations/list");
        const named = mine.filter(({ id, slug, name }) => [id, slug, name].includes(wanted));
        if (named.length > 1) {
          throw new CliError(EXIT.usage, "USAGE_ERROR", `"${wanted}" names ${named.length} organizations.`, {
            hint: `Name it by its id: ${COMMAND} orgs list`,
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
        output.note(`Work in it with: ${COMMAND} orgs use ${made.slug}`);
      }),
    );

  addUpdate(orgs, act);
}

interface OrgFlags {
  readonly name?: string;
  readonly budget?: Limit;
  readonly softBudget?: Limit;
  readonly budgetWindow?: string;
  readonly storePrompts?: boolean;
}

/** Of the organization that one works in. */
function addUpdate(orgs: Command, act: Act): void {
  orgs
    .command("update")
    .description("change the organization that you work in; what is not named stays")
    .option("--name <name>", "another name")
    .option("--budget <usd>", "what may be spent, in USD, or none", usdOrNone)
    .option("--soft-budget <usd>", "the amount whose passing is told, or none", usdOrNone)
    .addOption(budgetWindowOption())
    .option("--store-prompts", "keep requests and answers with the usage log")
    .option("--no-store-prompts", "keep none of them")
    .action(
      act(async ({ api, output }, { name, budget, softBudget, budgetWindow, storePrompts }: OrgFlags) => {
        const amounts = { budget: orNull(budget), softBudget: orNull(softBudget) };
        const changes = requireChanges("orgs update", { name, ...amounts, budgetWindow, storePrompts });
        const changed = await api.send<OrganizationRecord>("PUT", "/api/gw/organizations", changes);
        output.record(changed, { Id: changed.id, Name: changed.name, ...limitFields(changed) }, changed.id);
      }),
    );
}
