import type { LoggedEntry } from "../../accounts/records.ts";
import type { AccountStores } from "../../accounts/store.ts";
import { toUserId } from "../../contract/organizations.ts";
import { organizationNames } from "../admin/organization-names.ts";

export type NamingStores = Pick<AccountStores, "users" | "organizations" | "teams" | "keys">;

/** Whom and what a row of the log is about, by the names that they have today; null where nobody knows. */
interface EntryNames {
  readonly userName: string | null;
  readonly organizationName: string | null;
  readonly targetName: string | null;
}

const PEOPLE: ReadonlySet<string> = new Set(["user", "member"]);

/** The log keeps ids, because names change; people read names. Each is looked up once for a page. */
export async function nameEntries(
  stores: NamingStores,
  entries: readonly LoggedEntry[],
): Promise<readonly EntryNames[]> {
  const idsOf = (type: string) => entries.flatMap((one) => (one.targetType === type ? [one.targetId] : []));
  const [people, organizations, teams, keys] = await Promise.all([
    peopleOf(stores, entries),
    organizationNames(stores, [...entries.flatMap((one) => one.organizationId ?? []), ...idsOf("organization")]),
    namesBy(idsOf("team"), (id) => stores.teams.find(id)),
    namesBy(idsOf("api_key"), async (id) => (await stores.keys.find(id))?.key ?? null),
  ]);
  const lookedUp = ({ targetType, targetId }: LoggedEntry): string | undefined => {
    if (PEOPLE.has(targetType)) return people.get(targetId);
    if (targetType === "organization") return organizations.get(targetId);
    return targetType === "team" ? teams.get(targetId) : targetType === "api_key" ? keys.get(targetId) : undefined;
  };
  return entries.map((entry) => ({
    userName: entry.userId === null ? null : (people.get(String(entry.userId)) ?? null),
    organizationName: organizations.get(entry.organizationId ?? "") ?? null,
    targetName: lookedUp(entry) ?? nameIn(entry.details),
  }));
}

async function peopleOf(
  { users }: NamingStores,
  entries: readonly LoggedEntry[],
): Promise<ReadonlyMap<string, string>> {
  const targets = entries.flatMap((one) => (PEOPLE.has(one.targetType) ? [Number(one.targetId)] : []));
  const ids = [...new Set([...entries.flatMap((one) => one.userId ?? []), ...targets])].filter(Number.isSafeInteger);
  if (ids.length === 0) return new Map();
  const { rows } = await users.list({ ids: ids.map(toUserId) }, { page: 1, pageSize: ids.length });
  return new Map(rows.map(({ id, name }) => [String(id), name]));
}

async function namesBy(
  ids: readonly string[],
  find: (id: string) => Promise<{ readonly name: string } | null>,
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all([...new Set(ids)].map(async (id) => [id, (await find(id))?.name] as const));
  return new Map(found.flatMap(([id, name]) => (name === undefined ? [] : [[id, name] as const])));
}

/** As it was when the row was written: what it is about may be gone. */
const nameIn = ({ name, email, group }: LoggedEntry["details"]): string | null =>
  [name, email, group].find((one) => typeof one === "string") ?? null;
