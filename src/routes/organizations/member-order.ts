import Type, { type Static } from "typebox";
import type { MemberRecord } from "../../contract/organizations.ts";
import { sortingOf, sortQuery, sortRows } from "../../contract/sorting.ts";

/** By what lists of members can go. */
export const MemberSortQuery = Type.Object(
  sortQuery(["name", "email", "role", "joinedAt"], "by name and then those who are invited"),
);

const BY_NAME = { by: "name", direction: "asc" } as const;

/** As it comes unless told, which is by name. Who is invited has none yet. */
export function sortMembers<M extends MemberRecord>(
  all: readonly M[],
  query: Static<typeof MemberSortQuery>,
): readonly M[] {
  if (query.sort === undefined && query.order !== "desc") return all;
  const sorting = sortingOf(query, BY_NAME);
  return sortRows(all, sorting, (member) => ({ ...member, name: member.name || null }));
}
