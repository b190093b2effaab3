import { type Command, Option } from "commander";
import type { OrganizationRecord } from "../contract/organizations.ts";
import { COMMAND } from "../lib/command-name.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";
import { type LimitFlags, limitBody, limitFields, withLimits } from "./limit-flags.ts";
import { modelList } from "./model-list.ts";
import { requireChanges } from "./require-changes.ts";

type Organization = Omit<OrganizationRecord, "role">;

interface UpdateFlags extends LimitFlags {
  readonly billing?: string;
  readonly status?: string;
  readonly models?: string[];
}

const ORGANIZATION = "its id, slug or name";

/** All organizations of the installation. */
export function addAdminOrganizations(admin: Command, act: Act): void {
  const organizations = admin.command("organizations").description("all organizations");

  withPages(organizations.command("list").description("list organizations"))
    .option("--search <text>", "part of the name or slug")
    .action(
      act(async ({ api, output }, flags: PageFlags & { search?: string }) => {
        const query = { ...pageQuery(flags), search: flags.search };
        output.list(await api.get<Page<Organization>>("/api/admin/organizations", query), {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          BILLING: ({ billing }) => billing,
          STATUS: ({ status }) => status,
          MEMBERS: ({ membersCount }) => membersCount,
          TEAMS: ({ teamsCount }) => teamsCount,
        });
      }),
    );

  organizations
    .command("show")
    .description("show an organization")
    .argument("<organization>", ORGANIZATION)
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const found = await api.get<Organization>(await organizationPath({ api }, wanted));
        output.record(found, fieldsOf(found), found.id);
      }),
    );

  const update = organizations
    .command("update")
    .description("change how an organization pays and what it may call and spend, or block it")
    .argument("<organization>", ORGANIZATION)
    .addOption(new Option("--billing <billing>", "in advance or later").choices(["prepaid", "invoiced"]))
    .addOption(new Option("--status <status>", "blocked ones call nothing").choices(["active", "blocked"]))
    .option("--models <models...>", "the only models that it may call; all for all of them");
  withLimits(update).action(
    act(async ({ api, output }, flags: UpdateFlags, wanted: string) => {
      const { billing, status } = flags;
      const settings = { billing, status, models: modelList(flags.models), ...limitBody(flags) };
      const changes = requireChanges("admin organizations update", settings);
      const path = await organizationPath({ api }, wanted);
      const changed = await api.send<Organization>("PATCH", path, changes);
      output.record(changed, fieldsOf(changed), changed.id);
    }),
  );
}

const fieldsOf = (organization: Organization) => ({
  Id: organization.id,
  Name: organization.name,
  Slug: organization.slug,
  Status: organization.status,
  Billing: organization.billing,
  Models: organization.models.join(", ") || "all",
  ...limitFields(organization),
  Members: organization.membersCount,
  Teams: organization.teamsCount,
});

async function organizationPath({ api }: Pick<Context, "api">, wanted: string): Promise<string> {
  const organizations = await api.getAll<Organization>("/api/admin/organizations", { search: wanted.slice(0, 100) });
  const found = organizations.filter(({ slug, name }) => slug === wanted || name === wanted);
  if (found.length > 1) throw usageError(`"${wanted}" names ${found.length} organizations.`, "Name it by its id.");
  const [named] = found;
  if (named) return `/api/admin/organizations/${encodeURIComponent(named.id)}`;
  if (/^[\w.-]{1,64}$/.test(wanted)) return `/api/admin/organizations/${encodeURIComponent(wanted)}`;
  throw new CliError(EXIT.notFound, "NOT_FOUND", `There is no organization "${wanted}".`, {
    hint: `See: ${COMMAND} admin organizations list`,
  });
}
