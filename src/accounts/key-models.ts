import { EVERY_MODEL, NO_MODELS } from "../contract/model-lists.ts";

/** Lists of groups that may be called: exact names, and beginnings that end in `*`. An empty list allows everything. */

/** Whether all that the one pattern allows, the other allows too. */
function covers(wider: string, narrower: string): boolean {
  if (!wider.endsWith("*")) return wider === narrower;
  const beginning = narrower.endsWith("*") ? narrower.slice(0, -1) : narrower;
  return beginning.startsWith(wider.slice(0, -1));
}

/**
 * The first name of a key's list that its team's list does not allow; null when there is none. `membersOf` tells which groups
 * are in an access group. It only spares people a surprise: at each call both lists are asked.
 */
export function findOutside(
  models: readonly string[],
  team: readonly string[],
  membersOf: (accessGroup: string) => readonly string[] = () => [],
): string | null {
  if (team.length === 0 || team.some((name) => EVERY_MODEL.has(name))) return null;
  const allowed = [...team, ...team.flatMap(membersOf)];
  const isCovered = (model: string): boolean => allowed.some((wider) => covers(wider, model));
  const isInside = (model: string): boolean => {
    if (model === NO_MODELS || EVERY_MODEL.has(model) || isCovered(model)) return true;
    const members = membersOf(model);
    return members.length > 0 && members.every(isCovered);
  };
  return models.find((model) => !isInside(model)) ?? null;
}
