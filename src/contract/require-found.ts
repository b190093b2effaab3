import { GatewayError } from "./errors.ts";

/** What is not there, or belongs to somebody else: the two are told alike. */
export function requireFound<T>(found: T | null, what: string, id: string): T {
  if (found === null) throw new GatewayError("not_found", `There is no ${what} \`${id.slice(0, 64)}\`.`);
  return found;
}
