import type { AccountStores } from "../../accounts/store.ts";

/** The names of organizations by their ids, each of them looked up once. */
export async function organizationNames(
  { organizations }: Pick<AccountStores, "organizations">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all([...new Set(ids)].map((id) => organizations.find(id)));
  return new Map(found.flatMap((one) => (one ? [[one.id, one.name] as const] : [])));
}
