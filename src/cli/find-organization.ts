import type { OrganizationRecord } from "../contract/organizations.ts";
import { COMMAND } from "../lib/command-name.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import type { Context } from "./context.ts";

type Named = Pick<OrganizationRecord, "id" | "name" | "slug">;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Of all organizations, for administrators: by the id, the slug or the name. */
export async function findOrganizationId({ api }: Pick<Context, "api">, wanted: string): Promise<string> {
  if (ID.test(wanted)) return wanted;
  const organizations = await api.getAll<Named>("/api/admin/organizations", { search: wanted.slice(0, 100) });
  const found = organizations.filter(({ slug, name }) => slug === wanted || name === wanted);
  if (found.length > 1) throw usageError(`"${wanted}" names ${found.length} organizations.`, "Name it by its id.");
  const [organization] = found;
  if (organization) return organization.id;
  throw new CliError(EXIT.notFound, "NOT_FOUND", `There is no organization "${wanted}".`, {
    hint: `See: ${COMMAND} admin organizations list`,
  });
}

/** The one that commands work in; null for who is in none. */
export async function activeOrganizationId({ api }: Pick<Context, "api">): Promise<string | null> {
  const { activeOrganizationId: id } = await api.get<{ activeOrganizationId?: string | null }>("/api/auth/me");
  return id ?? null;
}

export async function activeOrganization({ api }: Pick<Context, "api">): Promise<Named | null> {
  const id = await activeOrganizationId({ api });
  return id === null ? null : api.get<Named>(`/api/gw/organizations/${encodeURIComponent(id)}`);
}
