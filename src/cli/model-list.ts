import { COMMAND } from "../lib/command-name.ts";
import type { Page } from "./api.ts";
import { type Context, pageQuery } from "./context.ts";

/** `all` alone is how people say that nothing is left out; on the wire an empty list says so. */
export const modelList = (models: readonly string[] | undefined): readonly string[] | undefined =>
  models?.length === 1 && models[0] === "all" ? [] : models;

/** `none` alone takes all of them away. */
export const guardrailList = (names: readonly string[] | undefined): readonly string[] | undefined =>
  names?.length === 1 && names[0] === "none" ? [] : names;

/** Names that nothing is listed under may be access groups or patterns, so they are told and not refused. */
export async function modelRemarks(
  { api }: Pick<Context, "api">,
  models: readonly string[] = [],
): Promise<readonly string[]> {
  const named = models.filter((name) => !name.includes("*"));
  const pages = named.map((search) => api.open<Page<{ id: string }>>("/api/models", { ...pageQuery({}), search }));
  const unknown = (await Promise.all(pages)).flatMap(({ data }, at) =>
    data.some(({ id }) => id === named[at]) ? [] : [named[at]],
  );
  return unknown.map(
    (name) => `\`${COMMAND} models list\` shows no ${name}; unless it is an access group, nothing is called so.`,
  );
}
