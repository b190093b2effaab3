/** Lists of groups that may be called: exact names, and beginnings that end in `*`. An empty list allows everything. */

/** Whether all that the one pattern allows, the other allows too. */
function covers(wider: string, narrower: string): boolean {
  if (!wider.endsWith("*")) return wider === narrower;
  const beginning = narrower.endsWith("*") ? narrower.slice(0, -1) : narrower;
  return beginning.startsWith(wider.slice(0, -1));
}

/** The first name of a key's list that its team's list does not allow; null when there is none. */
export function findOutside(models: readonly string[], team: readonly string[]): string | null {
  if (team.length === 0) return null;
  return models.find((model) => !team.some((allowed) => covers(allowed, model))) ?? null;
}

/** What both the key and its team allow; null when that is nothing, which an empty list could not say. */
export function modelsOfBoth(key: readonly string[], team: readonly string[]): readonly string[] | null {
  if (key.length === 0) return team;
  if (team.length === 0) return key;
  const both = new Set([
    ...key.filter((model) => team.some((allowed) => covers(allowed, model))),
    ...team.filter((model) => key.some((allowed) => covers(allowed, model))),
  ]);
  return both.size === 0 ? null : [...both];
}
