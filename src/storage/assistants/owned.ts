import { GatewayError } from "../../contract/errors.ts";

/** What the master key has made has no team, which `=` never finds. */
export const equalsOrNull = (teamId: string | null): "is" | "=" => (teamId === null ? "is" : "=");

export const missing = (what: string, id: string): GatewayError =>
  new GatewayError("not_found", `There is no ${what} \`${id.slice(0, 64)}\`.`);

/** Both ends of a list name something that is there. */
export async function requireEnds<T>(
  cursor: { readonly after: string | null; readonly before: string | null },
  what: string,
  find: (id: string) => Promise<T | null>,
): Promise<{ readonly after: T | null; readonly before: T | null }> {
  const end = async (id: string | null): Promise<T | null> => {
    if (id === null) return null;
    const found = await find(id);
    if (found === null) throw missing(what, id);
    return found;
  };
  return { after: await end(cursor.after), before: await end(cursor.before) };
}
